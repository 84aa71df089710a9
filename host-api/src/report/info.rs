//! `LIBOMPTARGET_INFO` (with the bits of LLVM's libomptarget) and `LIBOMPTARGET_DEBUG`: what the runtime prints on
//! stderr while it works.

use std::fmt::Arguments;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use bitflags::bitflags;

bitflags! {
    /// The kinds of messages (`LIBOMPTARGET_INFO`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Info: u32 {
        /// Arguments of each construct on entry.
        const KERNEL_ARGS = 0x01;
        /// A construct found an item mapped.
        const MAPPING_EXISTS = 0x02;
        /// The mapping table: after each construct, at a failure and at the end of the program.
        const DUMP_TABLE = 0x04;
        /// A mapping was created or removed.
        const MAPPING_CHANGED = 0x08;
        /// Kernel launches.
        const PLUGIN_KERNEL = 0x10;
        /// Copies between host and device.
        const DATA_TRANSFER = 0x20;
        /// An item has no device counterpart.
        const EMPTY_MAPPING = 0x40;
        /// Bits without a meaning.
        const _ = !0;
    }
}

static LEVEL: AtomicU32 = AtomicU32::new(0);
static DEBUG: AtomicBool = AtomicBool::new(false);

/// Sets the bits (`LIBOMPTARGET_INFO`, `__tgt_set_info_flag`).
pub fn set_level(level: Info) {
    LEVEL.store(level.bits(), Ordering::Relaxed);
}

/// Turns debug output on (`LIBOMPTARGET_DEBUG`).
pub fn set_debug(on: bool) {
    DEBUG.store(on, Ordering::Relaxed);
}

/// Whether messages of this kind are wanted.
pub fn wants(kind: Info) -> bool {
    Info::from_bits_retain(LEVEL.load(Ordering::Relaxed)).intersects(kind)
}

/// Prints a line about `device` if messages of this kind are wanted.
pub fn log(kind: Info, device: usize, message: Arguments<'_>) {
    if wants(kind) {
        eprintln!("omptarget device {device} info: {message}");
    }
}

/// Prints a debug line.
pub fn debug(message: Arguments<'_>) {
    if DEBUG.load(Ordering::Relaxed) {
        eprintln!("omptarget debug: {message}");
    }
}
