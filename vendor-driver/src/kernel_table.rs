//! The kernels of a loaded image, by name.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use plugin_api::{Kernel, Result};

/// Kernels that were asked for, so that the driver is asked once.
pub struct KernelTable<K>(Mutex<HashMap<String, Option<Arc<K>>>>);

impl<K> Default for KernelTable<K> {
    fn default() -> KernelTable<K> {
        KernelTable(Mutex::default())
    }
}

impl<K: Kernel + 'static> KernelTable<K> {
    /// The kernel, as `find` finds it the first time. An error is logged; then there is no kernel.
    pub fn kernel(
        &self,
        name: &str,
        find: impl FnOnce() -> Result<Option<Arc<K>>>,
    ) -> Option<Arc<dyn Kernel>> {
        let mut known = self.0.lock();
        if let Some(found) = known.get(name) {
            return found.clone().map(|kernel| kernel as Arc<dyn Kernel>);
        }
        let found = find().unwrap_or_else(|error| {
            log::error!("kernel {name}: {error}");
            None
        });
        known.insert(name.to_owned(), found.clone());
        found.map(|kernel| kernel as Arc<dyn Kernel>)
    }
}
