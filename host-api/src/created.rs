//! The mappings a construct has made.

use std::collections::HashSet;
use std::sync::Arc;

use crate::mapping_table::Mapping;

/// New mappings of one construct. They become ready when this is dropped: whatever happens to the
/// construct, nobody may wait for it for ever.
#[derive(Default)]
pub struct Created {
    mappings: Vec<Arc<Mapping>>,
    addresses: HashSet<*const Mapping>,
}

impl Created {
    /// Adds a mapping.
    pub fn add(&mut self, mapping: Arc<Mapping>) {
        self.addresses.insert(Arc::as_ptr(&mapping));
        self.mappings.push(mapping);
    }

    /// Whether the construct made this mapping.
    pub fn contains(&self, mapping: &Arc<Mapping>) -> bool {
        self.addresses.contains(&Arc::as_ptr(mapping))
    }
}

impl Drop for Created {
    fn drop(&mut self) {
        for mapping in &self.mappings {
            mapping.set_ready();
        }
    }
}
