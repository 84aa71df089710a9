//! Accesses to memory that checked code announces to the engine.

/// What compiled code has checked (`OMPTARGET_CHECK`). Without any, it announces nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Accesses stay inside of variables and allocations.
    pub memory: bool,
    /// What is read was written before.
    pub init: bool,
    /// Threads that use the same memory are ordered.
    pub race: bool,
    /// Threads that wait for each other come to the same barrier.
    pub sync: bool,
}

impl Checks {
    /// No checks.
    pub const NONE: Checks = Checks {
        memory: false,
        init: false,
        race: false,
        sync: false,
    };

    /// Whether there is any.
    pub fn any(self) -> bool {
        self != Checks::NONE
    }

    /// Whether accesses are announced.
    pub fn of_accesses(self) -> bool {
        self.memory || self.init || self.race
    }

    /// Their names, as [`Checks::named`] takes them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.memory, "memory"),
            (self.init, "init"),
            (self.race, "race"),
            (self.sync, "sync"),
        ];
        all.into_iter()
            .filter_map(|(wanted, name)| wanted.then_some(name))
    }

    /// The check of that name.
    pub fn named(name: &str) -> Option<Checks> {
        let none = Checks::NONE;
        match name {
            "memory" => Some(Checks {
                memory: true,
                ..none
            }),
            "init" => Some(Checks { init: true, ..none }),
            "race" => Some(Checks { race: true, ..none }),
            "sync" => Some(Checks { sync: true, ..none }),
            _ => None,
        }
    }

    /// The checks of both.
    pub fn and(self, other: Checks) -> Checks {
        Checks {
            memory: self.memory || other.memory,
            init: self.init || other.init,
            race: self.race || other.race,
            sync: self.sync || other.sync,
        }
    }
}

/// How an access uses memory: a set of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessKind(pub u32);

impl AccessKind {
    /// It reads.
    pub const READ: AccessKind = AccessKind(1);
    /// It writes.
    pub const WRITE: AccessKind = AccessKind(2);
    /// It is atomic, or volatile, which PTX takes for a relaxed atomic access (PTX ISA, "Memory Consistency Model").
    pub const ATOMIC: AccessKind = AccessKind(4);
    /// What the thread does next comes after what the writer released.
    pub const ACQUIRE: AccessKind = AccessKind(8);
    /// What the thread did before comes before what a reader does next.
    pub const RELEASE: AccessKind = AccessKind(16);

    /// The memory is the device runtime's own. It matters what it orders, and that it was written.
    pub const ORDER: AccessKind = AccessKind(32);

    /// It is no access of the program's source: the device runtime's, or one that an optimiser has added. Only its
    /// bounds matter.
    pub const FOREIGN: AccessKind = AccessKind(64);
    /// The value that it writes is known.
    pub const VALUE: AccessKind = AccessKind(128);
    /// It is no access: the memory becomes a local variable, in which nothing is written yet.
    pub const FRESH: AccessKind = AccessKind(256);
    /// The memory is a local variable, which no other thread uses. Of a read, the value is the site of its declaration.
    pub const PRIVATE: AccessKind = AccessKind(512);
    /// It is no access: an address is compared with the one before it that the target can access. In the place of a
    /// variable's declaration stands the alignment.
    pub const ALIGNMENT: AccessKind = AccessKind(4096);

    /// Where the bytes of an element are, from this bit on.
    const ELEMENT: u32 = 16;

    /// The most bytes of an element of several.
    pub const LARGEST_ELEMENT: u64 = u16::MAX as u64;

    /// The same of several elements, of so many bytes each.
    pub fn of_elements(self, bytes: u64) -> AccessKind {
        let kind = self.0 & ((1 << AccessKind::ELEMENT) - 1);
        AccessKind(kind | (bytes as u32) << AccessKind::ELEMENT)
    }

    /// The bytes of an element, if it is an access of several.
    pub fn element(self) -> Option<u64> {
        let bytes = self.0 >> AccessKind::ELEMENT;
        (bytes > 0).then_some(bytes.into())
    }

    /// It is atomic only because it is volatile, which does not order the lanes of a warp for the program.
    pub const VOLATILE: AccessKind = AccessKind(1024);

    /// It is no access: the memory is a lock that excludes threads of one team from each other (OpenMP 5.2, §15.2).
    pub const LOCK: AccessKind = AccessKind(2048);

    /// Whether it has all bits of `other`.
    pub fn has(self, other: AccessKind) -> bool {
        self.0 & other.0 == other.0
    }

    /// Without the bits of `other`.
    pub fn without(self, other: AccessKind) -> AccessKind {
        AccessKind(self.0 & !other.0)
    }

    /// The bits of both.
    pub fn and(self, other: AccessKind) -> AccessKind {
        AccessKind(self.0 | other.0)
    }
}

/// Where the shadow of the device window lies: a bit per byte that device code may access, in the terabyte behind the
/// first window. See `docs/checker.md`.
pub const ACCESSIBLE_SHADOW: u64 = 0x31 << 40;

/// The same for bytes that have been written.
pub const WRITTEN_SHADOW: u64 = ACCESSIBLE_SHADOW + (1 << 37);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        let all = ["memory", "init", "race", "sync"].map(|name| Checks::named(name).unwrap());
        let together = all.into_iter().fold(Checks::NONE, Checks::and);
        assert_eq!(
            together.names().collect::<Vec<_>>(),
            ["memory", "init", "race", "sync"]
        );
        assert!(together.any() && !Checks::NONE.any());
        assert_eq!(Checks::named("all"), None);
    }

    #[test]
    fn kinds_are_sets() {
        let update = AccessKind::READ
            .and(AccessKind::WRITE)
            .and(AccessKind::ATOMIC);
        assert!(update.has(AccessKind::WRITE) && !update.has(AccessKind::ACQUIRE));
        let several = update.of_elements(8);
        assert!(several.has(update) && !several.has(AccessKind::FRESH));
        assert_eq!((several.element(), update.element()), (Some(8), None));
    }
}
