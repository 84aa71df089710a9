//! What the user reads: errors, warnings, information, and the source locations in them.

pub mod error;
pub mod info;
pub mod logger;
pub mod source_location;
