//! With `--check race` and `--check sync`: which calls use locks.
//!
//! What a lock orders between teams is by chance, so the engine must know which atomic operations are those of a lock.
//! And a lock that is given back must be held. The device runtime's functions say so, until they are inlined.

use super::unit::Unit;
use crate::ir::Value;

/// The functions of locks, and which of their arguments is the lock's address.
const LOCKS: [(&str, u32); 9] = [
    ("__kmpc_critical", 2),
    ("__kmpc_critical_with_hint", 2),
    ("__kmpc_end_critical", 2),
    ("omp_set_lock", 0),
    ("omp_unset_lock", 0),
    ("omp_test_lock", 0),
    ("omp_set_nest_lock", 0),
    ("omp_unset_nest_lock", 0),
    ("omp_test_nest_lock", 0),
];

/// Those of them by which a program gives a lock back.
const RELEASES: [&str; 2] = ["omp_unset_lock", "omp_unset_nest_lock"];

/// A lock that a call uses.
pub struct Lock {
    /// Its address.
    pub address: Value,
    /// Whether the program gives it back.
    pub is_released: bool,
}

/// The calls of locks stay until `access-checks`.
pub fn keep(unit: &Unit) {
    for (name, _) in LOCKS {
        if let Some(function) = unit.module.function(name) {
            function.add_attribute(unit.context(), "noinline");
        }
    }
}

/// They may be inlined.
pub fn release(unit: &Unit) {
    for (name, _) in LOCKS {
        if let Some(function) = unit.module.function(name) {
            function.remove_attribute("noinline");
        }
    }
}

/// The lock that a call uses.
pub fn lock_of(instruction: Value) -> Option<Lock> {
    let called = instruction
        .is_call()
        .then(|| instruction.called_function())??;
    let name = called.name();
    let (_, argument) = LOCKS.iter().find(|(function, _)| *function == name)?;
    Some(Lock {
        address: instruction.operand(*argument),
        is_released: RELEASES.contains(&&*name),
    })
}
