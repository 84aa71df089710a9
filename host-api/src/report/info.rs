//! `LIBOMPTARGET_INFO` (bits of LLVM's libomptarget) and `LIBOMPTARGET_DEBUG`: what the runtime
//! tells while it works, on stderr.

use std::fmt::Arguments;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Arguments of each construct on entry.
pub const KERNEL_ARGS: u32 = 0x01;
/// A construct found an item mapped.
pub const MAPPING_EXISTS: u32 = 0x02;
/// The mapping table after each construct, at a failure and at the end of the program.
pub const DUMP_TABLE: u32 = 0x04;
/// A mapping was made or removed.
pub const MAPPING_CHANGED: u32 = 0x08;
/// Kernel launches.
pub const PLUGIN_KERNEL: u32 = 0x10;
/// Copies between host and device.
pub const DATA_TRANSFER: u32 = 0x20;
/// An item has no device counterpart.
pub const EMPTY_MAPPING: u32 = 0x40;

static LEVEL: AtomicU32 = AtomicU32::new(0);
static DEBUG: AtomicBool = AtomicBool::new(false);

/// Sets the bits (`LIBOMPTARGET_INFO`, `__tgt_set_info_flag`).
pub fn set_level(bits: u32) {
    LEVEL.store(bits, Ordering::Relaxed);
}

/// Turns debug output on (`LIBOMPTARGET_DEBUG`).
pub fn set_debug(on: bool) {
    DEBUG.store(on, Ordering::Relaxed);
}

/// Whether messages of this bit are wanted.
pub fn wants(bit: u32) -> bool {
    LEVEL.load(Ordering::Relaxed) & bit != 0
}

/// Prints a line about `device` if its bit is set.
pub fn log(bit: u32, device: usize, message: Arguments<'_>) {
    if wants(bit) {
        eprintln!("omptarget device {device} info: {message}");
    }
}

/// Prints a debug line.
pub fn debug(message: Arguments<'_>) {
    if DEBUG.load(Ordering::Relaxed) {
        eprintln!("omptarget debug: {message}");
    }
}
