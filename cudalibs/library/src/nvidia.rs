//! NVIDIA's own libraries, for programs whose data lies on an NVIDIA GPU.

use std::env::{split_paths, var_os};
use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

use crate::cudart::{Place, place};
use crate::report;

/// A library that NVIDIA has and we stand in for.
pub struct Front {
    /// Its file, e.g. `libcublas.so.12`.
    pub file: &'static str,
    /// A symbol that only ours has.
    pub marker: &'static CStr,
    theirs: OnceLock<Option<Library>>,
}

/// Says that a library is no library of NVIDIA's: what its [`Front::marker`] stands for.
pub extern "C" fn marker() {}

/// Where toolkits put their libraries.
const USUAL: [&str; 3] = [
    "/usr/local/cuda/lib64",
    "/opt/cuda/lib64",
    "/usr/lib/x86_64-linux-gnu",
];

/// Folders that may have NVIDIA's libraries.
fn folders() -> Vec<PathBuf> {
    let listed = var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = split_paths(&listed).collect();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(var_os);
    folders.extend(toolkits.map(|toolkit| Path::new(&toolkit).join("lib64")));
    folders.extend(USUAL.map(PathBuf::from));
    folders
}

impl Front {
    /// A front for a library.
    pub const fn new(file: &'static str, marker: &'static CStr) -> Front {
        Front {
            file,
            marker,
            theirs: OnceLock::new(),
        }
    }

    /// NVIDIA's library, if the program's data lies on a GPU and the library is found.
    pub fn theirs(&self) -> Option<&Library> {
        self.theirs.get_or_init(|| self.find()).as_ref()
    }

    /// NVIDIA's function of a name.
    pub fn function(&self, name: &CStr) -> Option<*const c_void> {
        let library = self.theirs()?;
        // SAFETY: the symbol is taken for an address only.
        unsafe { library.get::<*const c_void>(name.to_bytes_with_nul()) }
            .ok()
            .map(|symbol| *symbol)
    }

    fn find(&self) -> Option<Library> {
        if place() != Place::Gpu {
            return None;
        }
        let files = folders().into_iter().map(|folder| folder.join(self.file));
        let found = files.filter(|file| file.exists()).find_map(|file| {
            // SAFETY: its initialisers are those of a library that CUDA programs link.
            let library = unsafe { Library::new(&file) }.ok()?;
            // SAFETY: the symbol is only asked for.
            let is_ours = unsafe { library.get::<*const c_void>(self.marker.to_bytes_with_nul()) };
            is_ours.is_err().then_some(library)
        });
        if found.is_none() {
            let what = format!(
                "the program's data lies on an NVIDIA GPU, and NVIDIA's {} is not found (LD_LIBRARY_PATH, CUDA_HOME)",
                self.file
            );
            report("omptarget", &what);
        }
        found
    }
}
