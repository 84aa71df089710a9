//! The address ranges of all loaded code: signal handlers ask whether a word is a return address.

use std::collections::BTreeMap;

use parking_lot::RwLock;

use crate::arena::Span;

/// Length by start.
static CODE: RwLock<BTreeMap<u64, u64>> = RwLock::new(BTreeMap::new());

/// Code was loaded.
pub fn register(code: Span) {
    CODE.write().insert(code.start, code.len);
}

/// Code is unloaded.
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
