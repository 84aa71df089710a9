//! The measuring programs and the constructs each has.

use omptarget_driver::{Failure, Result};

use crate::programs::Source;

/// A measuring program: a suite, or a part of one.
pub struct Program {
    name: &'static str,
    suite: &'static str,
    source: Source,
    constructs: &'static [&'static str],
}

macro_rules! source {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../epcc/", $name)))
    };
}

const INCLUDED: [Source; 3] = [
    source!("epcc.h"),
    source!("program.h"),
    source!("reference.h"),
];

/// All of them.
const PROGRAMS: [Program; 5] = [
    Program {
        name: "sync",
        suite: "sync",
        source: source!("sync.c"),
        constructs: &[
            "parallel",
            "for",
            "for nowait",
            "parallel for",
            "barrier",
            "single",
            "master",
            "critical",
            "lock/unlock",
            "atomic",
            "reduction int",
            "reduction long",
            "reduction float",
            "reduction double",
            "reduction of four",
            "for reduction double",
        ],
    },
    Program {
        name: "ordered",
        suite: "sync",
        source: source!("ordered.c"),
        constructs: &["ordered"],
    },
    Program {
        name: "sched",
        suite: "sched",
        source: source!("sched.c"),
        constructs: &["static", "dynamic", "guided"],
    },
    Program {
        name: "array",
        suite: "array",
        source: source!("array.c"),
        constructs: &["private", "firstprivate", "copyprivate"],
    },
    Program {
        name: "task",
        suite: "task",
        source: source!("task.c"),
        constructs: &[
            "parallel task",
            "master task",
            "conditional task",
            "taskwait",
            "task barrier",
            "taskgroup",
            "nested task",
            "taskloop",
            "branch task tree",
            "leaf task tree",
        ],
    },
];

impl Program {
    /// Its file's name in a folder of `--build`.
    pub fn file(&self) -> String {
        format!("epcc-{}", self.name)
    }

    /// Its source, then the files that it includes.
    pub fn sources(&self) -> Vec<Source> {
        [self.source].into_iter().chain(INCLUDED).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.suite == name || self.constructs.contains(&name)
    }
}

/// The programs that have the suites and constructs named, each with its own names; all programs if no name is given. A
/// name that no program has is an error.
pub fn chosen(names: &[String]) -> Result<Vec<(&'static Program, Vec<String>)>> {
    if let Some(unknown) = names
        .iter()
        .find(|name| !PROGRAMS.iter().any(|program| program.has(name)))
    {
        return Err(Failure::Usage(format!(
            "there is no suite or construct called {unknown:?} (omptarget bench epcc --list)"
        )));
    }
    let own = |program: &Program| -> Vec<String> {
        names
            .iter()
            .filter(|name| program.has(name))
            .cloned()
            .collect()
    };
    Ok(PROGRAMS
        .iter()
        .map(|program| (program, own(program)))
        .filter(|(_, own)| names.is_empty() || !own.is_empty())
        .collect())
}

/// Prints all names.
pub fn print() {
    for program in &PROGRAMS {
        for construct in program.constructs {
            anstream::println!("{}\t{construct}", program.suite);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: &[&str]) -> Vec<(&'static str, Vec<String>)> {
        let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
        let chosen = chosen(&wanted).expect("known names");
        chosen
            .into_iter()
            .map(|(program, own)| (program.name, own))
            .collect()
    }

    #[test]
    fn programs_are_chosen_by_names() {
        assert_eq!(names(&[]).len(), PROGRAMS.len());
        assert_eq!(
            names(&["ordered", "barrier"]),
            [
                ("sync", vec!["barrier".into()]),
                ("ordered", vec!["ordered".into()])
            ]
        );
        assert_eq!(
            names(&["sync"]),
            [
                ("sync", vec!["sync".to_owned()]),
                ("ordered", vec!["sync".into()])
            ]
        );
        assert!(chosen(&["nonsense".to_owned()]).is_err());
    }

    #[test]
    fn every_construct_is_in_its_source() {
        for program in &PROGRAMS {
            for construct in program.constructs {
                assert!(
                    program.source.1.contains(&format!("\"{construct}\"")),
                    "{construct}"
                );
            }
        }
    }
}
