//! The programs and shared libraries that registered offload images.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use bitflags::bitflags;
use parking_lot::Mutex;

use crate::abi::BinaryDescriptor;
use crate::check::variables;
use crate::device::entries::{self, Entry, EntryFlags};

bitflags! {
    /// Clauses of `requires`, numbered as in `__tgt_register_requires`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Requirements: i64 {
        /// `requires unified_shared_memory`.
        const UNIFIED_SHARED_MEMORY = 0x08;
        /// Clauses without effect in this library.
        const _ = !0;
    }
}

/// A registered program or shared library.
#[derive(Debug)]
pub struct Library {
    /// Address of its descriptor, which identifies it.
    pub id: usize,
    /// Its images, in place.
    pub images: Vec<&'static [u8]>,
    /// Its entries.
    pub entries: Vec<Entry>,
}

impl Library {
    /// The library with this descriptor.
    ///
    /// # Safety
    /// `descriptor` is a descriptor as clang's linker wrapper emits it. The images that it points at stay in place
    /// until the library is unregistered.
    pub unsafe fn read(descriptor: *const BinaryDescriptor) -> Library {
        // SAFETY: caller.
        let contents = unsafe { &*descriptor };
        let count = usize::try_from(contents.images).unwrap_or(0);
        let image = |index| {
            // SAFETY: the descriptor has `images` images, each a readable range (caller).
            unsafe {
                let image = &*contents.device_images.add(index);
                let length = (image.end as usize).saturating_sub(image.start as usize);
                std::slice::from_raw_parts(image.start, length)
            }
        };
        let images = (0..count).map(image).collect();
        // SAFETY: the descriptor's entries (caller).
        let entries =
            unsafe { entries::read(contents.host_entries_begin, contents.host_entries_end) };
        variables::registered(&entries);
        Library {
            id: descriptor as usize,
            images,
            entries,
        }
    }
}

/// Every registered library.
#[derive(Debug, Default)]
pub struct Registry {
    libraries: Mutex<Vec<Arc<Library>>>,
    generation: AtomicU64,
    requirements: AtomicI64,
    shrunk: AtomicBool,
}

impl Registry {
    /// Adds a library.
    pub fn add(&self, library: Library) {
        let entries = library.entries.iter();
        for entry in entries.filter(|entry| entry.flags.contains(EntryFlags::REQUIRES)) {
            self.require(Requirements::from_bits_retain(entry.data as i64));
        }
        self.libraries.lock().push(Arc::new(library));
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Removes a library; `None` if it was not registered.
    pub fn remove(&self, id: usize) -> Option<Arc<Library>> {
        let mut libraries = self.libraries.lock();
        let index = libraries.iter().position(|library| library.id == id)?;
        let library = libraries.remove(index);
        self.shrunk.store(true, Ordering::Relaxed);
        self.generation.fetch_add(1, Ordering::Release);
        Some(library)
    }

    /// Whether a library was ever removed. Tasks that nobody has waited for may still ask for its regions.
    pub fn has_shrunk(&self) -> bool {
        self.shrunk.load(Ordering::Relaxed)
    }

    /// Whether no library is registered (any more).
    pub fn is_empty(&self) -> bool {
        self.libraries.lock().is_empty()
    }

    /// The registered libraries.
    pub fn libraries(&self) -> Vec<Arc<Library>> {
        self.libraries.lock().clone()
    }

    /// The symbol of the region with this id.
    pub fn symbol(&self, region: u64) -> Option<String> {
        let libraries = self.libraries.lock();
        let mut entries = libraries.iter().flat_map(|library| &library.entries);
        entries
            .find(|entry| entry.is_region() && entry.address == region)
            .map(|entry| entry.name.clone())
    }

    /// A number that changes whenever a library comes or goes.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Adds clauses of `requires`.
    pub fn require(&self, clauses: Requirements) {
        self.requirements.fetch_or(clauses.bits(), Ordering::AcqRel);
    }

    /// Whether any program said `requires unified_shared_memory`.
    pub fn unified_shared_memory(&self) -> bool {
        let clauses = self.requirements.load(Ordering::Acquire);
        Requirements::from_bits_retain(clauses).contains(Requirements::UNIFIED_SHARED_MEMORY)
    }
}
