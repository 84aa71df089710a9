//! Registers loaded objects with gdb's JIT interface, so that users can set breakpoints inside target regions
//! (gdb manual, "JIT Compilation Interface").

use std::arch::global_asm;
use std::ptr;

use object::elf::SectionHeader64;
use object::{LittleEndian, Object, ObjectSection, U64};
use parking_lot::Mutex;

use super::elf::{Elf, LoadError};
use super::layout::Layout;

/// `struct jit_code_entry`
#[repr(C)]
struct CodeEntry {
    next: *mut CodeEntry,
    previous: *mut CodeEntry,
    object: *const u8,
    size: u64,
}

/// `struct jit_descriptor`
#[repr(C)]
struct Descriptor {
    _version: u32,
    action: u32,
    relevant: *mut CodeEntry,
    first: *mut CodeEntry,
}

const REGISTER: u32 = 1;
const UNREGISTER: u32 = 2;

// gdb finds the list of objects by the first name. It sets a breakpoint in the function with the second name to
// learn of changes. Both are in assembly because they must be hidden: a user's program may contain an LLVM that
// defines the same names, and the two must not be mixed up.
global_asm!(
    ".pushsection .data",
    ".balign 8",
    ".globl __jit_debug_descriptor",
    ".hidden __jit_debug_descriptor",
    ".type __jit_debug_descriptor, %object",
    ".size __jit_debug_descriptor, 24",
    "__jit_debug_descriptor:",
    ".long 1, 0",
    ".quad 0, 0",
    ".popsection",
    ".pushsection .text",
    ".globl __jit_debug_register_code",
    ".hidden __jit_debug_register_code",
    ".type __jit_debug_register_code, %function",
    "__jit_debug_register_code:",
    "ret",
    ".size __jit_debug_register_code, . - __jit_debug_register_code",
    ".popsection",
);

unsafe extern "C" {
    static mut __jit_debug_descriptor: Descriptor;
    safe fn __jit_debug_register_code();
}

/// Guards the list.
static LIST: Mutex<()> = Mutex::new(());

/// An object that gdb knows of until this is dropped.
pub struct Registration {
    entry: *mut CodeEntry,
}

// SAFETY: the entry is only used under `LIST`.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

impl Registration {
    /// Registers `object` with gdb. The caller keeps it in place until the registration is dropped.
    pub fn new(object: &[u8]) -> Registration {
        let new = CodeEntry {
            next: ptr::null_mut(),
            previous: ptr::null_mut(),
            object: object.as_ptr(),
            size: object.len() as u64,
        };
        let entry = Box::into_raw(Box::new(new));
        let _list = LIST.lock();
        let descriptor = &raw mut __jit_debug_descriptor;
        // SAFETY: the lock guards the list. Its entries live until they are unlinked.
        unsafe {
            (*entry).next = (*descriptor).first;
            if let Some(next) = (*entry).next.as_mut() {
                next.previous = entry;
            }
            (*descriptor).first = entry;
            (*descriptor).relevant = entry;
            (*descriptor).action = REGISTER;
        }
        __jit_debug_register_code();
        Registration { entry }
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let _list = LIST.lock();
        let descriptor = &raw mut __jit_debug_descriptor;
        // SAFETY: as in `new`. The entry came from a box and is unlinked before it is freed.
        unsafe {
            let CodeEntry { next, previous, .. } = *self.entry;
            match previous.as_mut() {
                Some(previous) => previous.next = next,
                None => (*descriptor).first = next,
            }
            if let Some(next) = next.as_mut() {
                next.previous = previous;
            }
            (*descriptor).relevant = self.entry;
            (*descriptor).action = UNREGISTER;
            __jit_debug_register_code();
            drop(Box::from_raw(self.entry));
        }
    }
}

/// A copy of the object whose section headers hold the sections' load addresses, as gdb expects.
pub fn image_with_addresses(
    object: &[u8],
    elf: &Elf<'_>,
    layout: &Layout,
    base: u64,
) -> Result<Box<[u8]>, LoadError> {
    let mut image = object.to_vec();
    let table = elf.elf_header().e_shoff.get(LittleEndian);
    for section in elf.sections() {
        let Some(offset) = layout.section(section.index()) else {
            continue;
        };
        let header =
            table + (section.index().0 * size_of::<SectionHeader64<LittleEndian>>()) as u64;
        let field = header as usize + std::mem::offset_of!(SectionHeader64<LittleEndian>, sh_addr);
        let bytes = image
            .get_mut(field..field + 8)
            .ok_or_else(|| LoadError::Malformed("section headers".to_owned()))?;
        bytes.copy_from_slice(object::bytes_of(&U64::new(LittleEndian, base + offset)));
    }
    Ok(image.into_boxed_slice())
}
