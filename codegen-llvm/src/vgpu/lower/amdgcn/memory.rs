//! Where a generic address points.

use super::Body;
use super::engine::is_space;

/// Lowers the questions about address spaces.
pub fn lower(name: &str) -> Option<Body> {
    match name {
        "is.shared" => is_space("shared"),
        "is.private" => is_space("local"),
        _ => None,
    }
}
