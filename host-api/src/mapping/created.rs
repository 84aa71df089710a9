//! The mappings a construct has made.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::mapping::mapped_range::Mapping;

/// New mappings of one construct. They become ready when this is dropped: whatever happens to the
/// construct, nobody may wait for it for ever.
#[derive(Default)]
pub struct Created(SmallVec<[Arc<Mapping>; 4]>);

impl Created {
    /// Adds a mapping.
    pub fn add(&mut self, mapping: Arc<Mapping>) {
        self.0.push(mapping);
    }

    /// Whether the construct made this mapping: a thread is in one construct at a time, so a mapping
    /// that this thread is filling is this construct's.
    pub fn contains(&self, mapping: &Mapping) -> bool {
        !self.0.is_empty() && mapping.is_filled_by_this_thread()
    }

    /// Their data and pointers are in place, or on their way.
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
