//! Addresses at which a program maps memory by itself (CUDA's virtual memory management).

use std::os::fd::BorrowedFd;

use crate::{DevicePtr, Result};

/// What may be done with memory that is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    None,
    /// It may be read.
    Read,
    /// It may be read and written.
    ReadWrite,
}

/// Memory of a device as a part of a file, which never shrinks.
#[derive(Clone, Copy, Debug)]
pub struct SharedMemory {
    /// The file.
    pub file: BorrowedFd<'static>,
    /// Where the part begins in it, in whole pages.
    pub offset: u64,
    /// Its length, in whole pages.
    pub len: u64,
    /// Where the allocation begins in the part.
    pub begin: u64,
}

/// A device's addresses that its program manages. Sizes, offsets and addresses are multiples of [`GRANULARITY`]; ranges
/// lie in one reservation. Callers see to both, and to what is mapped where.
pub trait AddressSpace: Send + Sync {
    /// Reserves addresses. Nothing is there, and an access is a fault.
    fn reserve(&self, size: u64, align: u64) -> Result<DevicePtr>;
    /// Ends the reservation that begins here.
    fn release(&self, at: DevicePtr) -> Result<()>;
    /// Maps memory: a part of a file that never shrinks. Nothing may be done with it yet.
    fn map(&self, at: DevicePtr, size: u64, memory: BorrowedFd<'_>, offset: u64) -> Result<()>;
    /// Takes it away.
    fn unmap(&self, at: DevicePtr, size: u64) -> Result<()>;
    /// Says what may be done with memory that is mapped.
    fn protect(&self, at: DevicePtr, size: u64, access: Access) -> Result<()>;
}

/// Memory is mapped in units of so many bytes, as on NVIDIA's GPUs.
pub const GRANULARITY: u64 = 2 << 20;
