//! The address ranges of all loaded code. After a fault they tell which words of a stack are return addresses.

use std::collections::BTreeMap;

use parking_lot::RwLock;

use crate::arena::Span;

/// Length by start.
static CODE: RwLock<BTreeMap<u64, u64>> = RwLock::new(BTreeMap::new());

/// Adds code that was loaded.
pub fn register(code: Span) {
    CODE.write().insert(code.start, code.len);
}

/// Removes code that is about to be unloaded.
pub fn unregister(code: Span) {
    CODE.write().remove(&code.start);
}

/// Whether `address` lies in any loaded code.
pub fn is_code(address: u64) -> bool {
    let code = CODE.read();
    code.range(..=address)
        .next_back()
        .is_some_and(|(&start, &len)| Span { start, len }.contains(address, 1))
}
