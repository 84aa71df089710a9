//! The checks that a program asked for: `OMPTARGET_CHECK`.

use std::sync::OnceLock;

use crate::finding::Kind;

/// The variable that names the checks.
pub const VARIABLE: &str = "OMPTARGET_CHECK";

/// Which checks a program asked for (`OMPTARGET_CHECK=memory,race,init,sync,host` or `all`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Checks {
    /// Bounds and lifetime of every object in device memory.
    pub memory: bool,
    /// Conflicting accesses that nothing orders.
    pub race: bool,
    /// Reads of memory that was never written.
    pub init: bool,
    /// Barriers, masks and locks that not all threads meet, or meet twice.
    pub sync: bool,
    /// What the host does with mappings and device pointers.
    pub host: bool,
}

impl Checks {
    /// None of them.
    pub const NONE: Checks = Checks {
        memory: false,
        race: false,
        init: false,
        sync: false,
        host: false,
    };
    /// All of them.
    pub const ALL: Checks = Checks {
        memory: true,
        race: true,
        init: true,
        sync: true,
        host: true,
    };

    /// The checks in a list, case ignored. An empty list names none.
    pub fn parse(text: &str) -> Result<Checks, String> {
        let mut checks = Checks::NONE;
        for word in text.split(',').map(str::trim) {
            match word.to_ascii_lowercase().as_str() {
                "" | "none" => {}
                "memory" => checks.memory = true,
                "race" => checks.race = true,
                "init" => checks.init = true,
                "sync" => checks.sync = true,
                "host" => checks.host = true,
                "all" => checks = Checks::ALL,
                _ => {
                    return Err(format!(
                        "{word:?} is no check; the checks are memory, race, init, sync, host and all"
                    ));
                }
            }
        }
        Ok(checks)
    }

    /// Whether findings of this kind are wanted.
    pub fn has(self, kind: Kind) -> bool {
        match kind {
            Kind::Memory => self.memory,
            Kind::Race => self.race,
            Kind::Init => self.init,
            Kind::Sync => self.sync,
            Kind::Host => self.host,
        }
    }

    /// Whether there is one.
    pub fn any(self) -> bool {
        self != Checks::NONE
    }
}

/// The checks that the process's environment asks for, read once. A value that cannot be understood is an error, for
/// whoever can tell the user.
pub fn wanted() -> Result<Checks, String> {
    static WANTED: OnceLock<Result<Checks, String>> = OnceLock::new();
    let read = || {
        let text = std::env::var_os(VARIABLE).unwrap_or_default();
        let text = text.to_string_lossy();
        Checks::parse(&text).map_err(|why| format!("{VARIABLE}={text}: {why}"))
    };
    WANTED.get_or_init(read).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(Checks::parse(""), Ok(Checks::NONE));
        assert_eq!(Checks::parse("all"), Ok(Checks::ALL));
        let some = Checks {
            memory: true,
            sync: true,
            ..Checks::NONE
        };
        assert_eq!(Checks::parse(" Memory,,sync "), Ok(some));
        assert!(some.any() && !Checks::NONE.any());
    }

    #[test]
    fn what_is_no_check_is_named() {
        let why = Checks::parse("memory,races").unwrap_err();
        assert!(
            why.contains("\"races\"") && why.contains("race, init"),
            "{why}"
        );
    }
}
