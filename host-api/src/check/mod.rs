//! The checker's host side: what `OMPTARGET_CHECK=host` looks at, and what the runtime tells of mappings in findings of
//! devices (`docs/checker.md`).
//!
//! Without checks every function here returns at once.

pub mod contents;
mod describer;
mod known_mapping;
pub mod mappings;
pub mod misuse;
pub mod routine_memory;
pub mod tasks;
pub mod variables;

use std::sync::OnceLock;

use findings::Checks;

/// The checks of the process. Of a value that cannot be understood the virtual GPU tells.
pub fn wanted() -> Checks {
    static WANTED: OnceLock<Checks> = OnceLock::new();
    *WANTED.get_or_init(|| {
        let checks = findings::wanted().unwrap_or_default();
        if checks.any() {
            findings::describe_with(Box::new(describer::OfMappings));
        }
        checks
    })
}

/// Reports what is still mapped and allocated, and how much was found. The program ends.
pub fn at_exit() {
    if !wanted().any() {
        return;
    }
    if wanted().host {
        mappings::report_leaks();
        routine_memory::report_leaks();
    }
    findings::print_summary();
}
