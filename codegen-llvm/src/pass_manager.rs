//! Runs a table of passes in order, and shows or verifies the module after each.

use anyhow::{Context as _, Result};

use crate::ir::Module;

/// What a pipeline works on.
pub trait Unit {
    /// The module in work.
    fn module(&self) -> &Module;
}

/// A pass: changes the unit in place, or refuses it.
pub type Pass<U> = fn(&mut U) -> Result<()>;

/// What to do between passes, as `opt --print-after` and `--verify-each` do.
#[derive(Clone, Debug, Default)]
pub struct Instrumentation {
    /// Passes after which to print the module to standard error.
    pub print_after: Vec<String>,
    /// Whether to verify the module after every pass.
    pub verify_each: bool,
    /// Whether to say on standard error how far the compilation is.
    pub progress: bool,
}

impl Instrumentation {
    /// Whether to print the module after a pass.
    pub fn prints_after(&self, pass: &str) -> bool {
        self.print_after.iter().any(|name| name == pass)
    }

    /// Says how far the compilation is, if it is to say so. The client (crate `codegen`) shows it to who waits.
    pub fn tell(&self, state: &str) {
        if self.progress {
            eprintln!("{}{state}", codegen::PROGRESS_MARK);
        }
    }
}

/// Runs named passes in order.
pub fn run<U: Unit>(
    passes: impl IntoIterator<Item = (&'static str, Pass<U>)>,
    unit: &mut U,
    instrumentation: &Instrumentation,
) -> Result<()> {
    for (name, pass) in passes {
        pass(unit)?;
        if instrumentation.prints_after(name) {
            eprintln!("; after {name}\n{}", unit.module().print());
        }
        if instrumentation.verify_each {
            unit.module()
                .verify(&format!("after the pass `{name}`"))
                .context("internal error")?;
        }
    }
    Ok(())
}
