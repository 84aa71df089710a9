//! `ident_t`: this module alone reads it.

use std::ffi::CStr;

use crate::abi::Ident;
use crate::report::source_location::SourceIdent;

/// The contents of an entry point's `ident_t`.
///
/// # Safety
/// `location` is null or an `ident_t` whose string is a constant of the calling program.
pub unsafe fn read(location: *const Ident) -> SourceIdent {
    // SAFETY: caller.
    let Some(ident) = (unsafe { location.as_ref() }) else {
        return SourceIdent::default();
    };
    let text = ident.psource;
    // SAFETY: `psource` is null or a NUL-terminated string that stays in place (caller).
    SourceIdent::new((!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_and_without() {
        // SAFETY: null.
        assert!(!unsafe { read(std::ptr::null()) }.is_given());
        let ident = |psource| Ident {
            reserved_1: 0,
            flags: 0,
            reserved_2: 0,
            reserved_3: 0,
            psource,
        };
        // SAFETY: live; there is no string.
        let bare = unsafe { read(&ident(std::ptr::null())) };
        assert!(bare.is_given() && bare.location().is_unknown());
        // SAFETY: live, with a constant string.
        let whole = unsafe { read(&ident(c";a.c;main;3;1;;".as_ptr())) };
        assert_eq!(whole.location().to_string(), "a.c:3:1 in main");
    }
}
