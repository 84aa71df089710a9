//! The source text of a map item, from clang's name string. Read only when a message needs it.

use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::fmt;

use crate::report::source_location::item_expression;

/// The name of a map item; empty without `-g`.
#[derive(Clone, Copy, Default)]
pub struct ItemName(Option<&'static CStr>);

impl ItemName {
    /// The name in one of clang's strings.
    ///
    /// # Safety
    /// `text` is null or a NUL-terminated string that outlives the name. Items live for one call of an entry point;
    /// their strings are constants of the calling program.
    pub unsafe fn from_raw(text: *const c_char) -> ItemName {
        // SAFETY: caller.
        ItemName((!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }))
    }

    /// This name, or `other` if it is empty.
    pub fn or(self, other: ItemName) -> ItemName {
        ItemName(self.0.or(other.0))
    }

    /// The user's expression, empty when unknown.
    pub fn expression(self) -> Cow<'static, str> {
        let Some(text) = self.0 else {
            return Cow::Borrowed("");
        };
        match text.to_string_lossy() {
            Cow::Borrowed(text) => Cow::Borrowed(item_expression(text).unwrap_or("")),
            Cow::Owned(text) => Cow::Owned(item_expression(&text).unwrap_or("").to_owned()),
        }
    }
}

#[cfg(test)]
impl ItemName {
    /// A name for tests.
    pub fn of(text: &'static CStr) -> ItemName {
        ItemName(Some(text))
    }
}

impl fmt::Debug for ItemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.expression())
    }
}
