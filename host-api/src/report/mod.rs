//! What the user reads: errors, warnings, information, and the source locations in them.

pub(crate) mod error;
pub(crate) mod info;
pub(crate) mod logger;
pub mod source_location;
