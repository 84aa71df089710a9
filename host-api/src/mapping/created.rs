//! The mappings that a construct has created.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::mapping::mapped_range::Mapping;

/// New mappings of one construct. Dropping this makes them ready, so that no thread waits for a failed construct for
/// ever.
#[derive(Default)]
pub struct Created(SmallVec<[Arc<Mapping>; 4]>);

impl Created {
    /// Adds a mapping.
    pub fn add(&mut self, mapping: Arc<Mapping>) {
        self.0.push(mapping);
    }

    /// Whether the construct created this mapping. A thread is in one construct at a time, so a mapping that this
    /// thread is filling belongs to this construct.
    pub fn contains(&self, mapping: &Mapping) -> bool {
        !self.0.is_empty() && mapping.is_filled_by_this_thread()
    }

    /// Marks them ready: their data and pointers are in place, or queued.
    pub fn set_ready(&mut self) {
        for mapping in self.0.drain(..) {
            mapping.set_ready();
        }
    }
}

impl Drop for Created {
    fn drop(&mut self) {
        self.set_ready();
    }
}
