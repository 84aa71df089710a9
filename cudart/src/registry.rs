//! What the program has registered: fat binaries, and in them kernels and variables by the addresses that the host
//! knows them by.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::Arc;

use device_image::{FAT_HEADER, Image, ImageError, bundle_size, fat_size};
use parking_lot::RwLock;

use crate::error::{Code, Result, report};

/// The number of a fat binary.
pub type BinaryId = usize;

/// A fat binary of the program, which stays in memory while it is registered, or one that the program had read.
pub struct FatBinary {
    bytes: Cow<'static, [u8]>,
}

impl From<Vec<u8>> for FatBinary {
    /// The image of a module that the program loaded, in any form that has images.
    fn from(bytes: Vec<u8>) -> FatBinary {
        FatBinary {
            bytes: Cow::Owned(bytes),
        }
    }
}

impl FatBinary {
    /// The fat binary at an address. It says itself how long it is.
    ///
    /// # Safety
    /// If the first word is that of a fat binary, the memory is readable as far as its header says.
    pub unsafe fn at(data: *const u8) -> Result<FatBinary> {
        if data.is_null() {
            return Err(Code::INVALID_IMAGE);
        }
        // SAFETY: the smallest fat binary has a header (caller).
        let header = unsafe { &*data.cast::<[u8; FAT_HEADER]>() };
        // SAFETY: the memory is readable as far as its header says (caller).
        let size = fat_size(header).or_else(|| unsafe { size_of_bundle(data) });
        let size = size.and_then(|size| usize::try_from(size).ok());
        let size = size.ok_or(Code::INVALID_IMAGE)?;
        // SAFETY: the header says that so much is there (caller).
        let bytes = unsafe { std::slice::from_raw_parts(data, size) };
        Ok(FatBinary {
            bytes: Cow::Borrowed(bytes),
        })
    }

    /// The images in it.
    pub fn images(&self) -> std::result::Result<Vec<Image<'_>>, ImageError> {
        Image::parse(&self.bytes)
    }
}

/// The bytes of clang's bundle at an address, which says piece by piece how much is there.
///
/// # Safety
/// As for [`FatBinary::at`].
unsafe fn size_of_bundle(data: *const u8) -> Option<u64> {
    let mut known = FAT_HEADER;
    loop {
        // SAFETY: the bundle has said that so much is there (caller).
        let beginning = unsafe { std::slice::from_raw_parts(data, known) };
        match bundle_size(beginning) {
            Ok(size) => return Some(size),
            Err(ImageError::Truncated { needed, .. }) => known = usize::try_from(needed).ok()?,
            Err(_) => return None,
        }
    }
}

/// A kernel or a variable: the fat binary that has it, and its name there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The fat binary.
    pub binary: BinaryId,
    /// The name.
    pub name: Arc<str>,
    /// The same for C.
    pub c_name: Arc<CStr>,
}

#[derive(Default)]
struct Tables {
    binaries: HashMap<BinaryId, Result<Arc<FatBinary>>>,
    next: BinaryId,
    kernels: HashMap<usize, Symbol>,
    variables: HashMap<usize, Symbol>,
    /// Managed variables, each with the address of its memory.
    managed: Vec<(u64, Symbol)>,
    /// Managed variables that are the device's own, each with the address of the host's pointer to it.
    pointed: Vec<(usize, Symbol)>,
}

/// Everything registered.
#[derive(Default)]
pub struct Registry(RwLock<Tables>);

impl Registry {
    /// Adds a fat binary. One that cannot be read is remembered: whoever uses a kernel of it gets the error.
    pub fn add(&self, binary: Result<FatBinary>) -> BinaryId {
        if binary.is_err() {
            report(
                "a fat binary of the program cannot be used",
                &"it does not begin with the header of one",
            );
        }
        let mut tables = self.0.write();
        // 0 would be a null handle.
        tables.next += 1;
        let id = tables.next;
        tables.binaries.insert(id, binary.map(Arc::new));
        id
    }

    /// The fat binary that was added last.
    pub fn last(&self) -> BinaryId {
        self.0.read().next
    }

    /// Removes a fat binary and what is registered of it.
    pub fn remove(&self, id: BinaryId) {
        let mut tables = self.0.write();
        tables.binaries.remove(&id);
        tables.kernels.retain(|_, symbol| symbol.binary != id);
        tables.variables.retain(|_, symbol| symbol.binary != id);
        tables.managed.retain(|(_, symbol)| symbol.binary != id);
        tables.pointed.retain(|(_, symbol)| symbol.binary != id);
    }

    /// Adds a kernel, by the address of its host function.
    pub fn add_kernel(&self, address: usize, symbol: Symbol) {
        self.0.write().kernels.insert(address, symbol);
    }

    /// Adds a variable, by the address of its host shadow.
    pub fn add_variable(&self, address: usize, symbol: Symbol) {
        self.0.write().variables.insert(address, symbol);
    }

    /// Adds a managed variable, by the address of its memory.
    pub fn add_managed(&self, memory: u64, symbol: Symbol) {
        self.0.write().managed.push((memory, symbol));
    }

    /// Adds a managed variable that is the device's own, by the address of the host's pointer to it.
    pub fn add_pointed(&self, pointer: usize, symbol: Symbol) {
        self.0.write().pointed.push((pointer, symbol));
    }

    /// Those of a fat binary.
    pub fn pointed(&self, id: BinaryId) -> Vec<(usize, Symbol)> {
        let tables = self.0.read();
        let all = tables.pointed.iter();
        all.filter(|(_, symbol)| symbol.binary == id)
            .cloned()
            .collect()
    }

    /// The managed variables of a fat binary.
    pub fn managed(&self, id: BinaryId) -> Vec<(u64, Symbol)> {
        let tables = self.0.read();
        let all = tables
            .managed
            .iter()
            .filter(|(_, symbol)| symbol.binary == id);
        all.cloned().collect()
    }

    /// A fat binary.
    pub fn binary(&self, id: BinaryId) -> Result<Arc<FatBinary>> {
        let tables = self.0.read();
        tables
            .binaries
            .get(&id)
            .cloned()
            .unwrap_or(Err(Code::INVALID_HANDLE))
    }

    /// The kernel with this host function.
    pub fn kernel(&self, address: usize) -> Option<Symbol> {
        self.0.read().kernels.get(&address).cloned()
    }

    /// The variable with this host shadow.
    pub fn variable(&self, address: usize) -> Option<Symbol> {
        self.0.read().variables.get(&address).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fat binary that claims to have so many bytes behind its header.
    fn parse(content: &[u8], claimed: usize) -> Result<FatBinary> {
        let mut bytes = device_image::fat_binary(content);
        bytes[8..16].copy_from_slice(&(claimed as u64).to_le_bytes());
        // SAFETY: the tests claim no more than is there.
        unsafe { FatBinary::at(bytes.leak().as_ptr()) }
    }

    #[test]
    fn images_are_read_from_the_container() {
        let image = Image::parse(b".version 8.7\n.target sm_80\n")
            .unwrap()
            .remove(0);
        let wrapped = image.wrap();
        let whole = parse(&wrapped, wrapped.len()).unwrap();
        assert_eq!(whole.images().unwrap(), [image]);
        let truncated = parse(&wrapped, wrapped.len() - 9).unwrap();
        assert!(truncated.images().is_err());
    }

    #[test]
    fn other_bytes_are_no_fat_binary() {
        // SAFETY: a header is there. Null is refused.
        let other = unsafe { FatBinary::at([0; FAT_HEADER].as_ptr()) };
        assert_eq!(other.err(), Some(Code::INVALID_IMAGE));
        // SAFETY: null is refused.
        assert!(unsafe { FatBinary::at(std::ptr::null()) }.is_err());
    }

    #[test]
    fn what_is_registered_goes_with_its_binary() {
        let registry = Registry::default();
        let id = registry.add(Err(Code::INVALID_IMAGE));
        let symbol = Symbol {
            binary: id,
            name: "k".into(),
            c_name: c"k".into(),
        };
        registry.add_kernel(8, symbol.clone());
        registry.add_variable(16, symbol.clone());
        assert_eq!(registry.kernel(8), Some(symbol.clone()));
        assert_eq!(registry.variable(16), Some(symbol));
        assert_eq!(registry.binary(id).err(), Some(Code::INVALID_IMAGE));
        registry.remove(id);
        assert_eq!(registry.kernel(8), None);
        assert_eq!(registry.binary(id).err(), Some(Code::INVALID_HANDLE));
    }
}
