//! The device window: one terabyte of addresses, reserved once per process, or as much of it as the process may have.
//! All memory that device code may touch lies in it (see [`vgpu_abi`]).

use std::ffi::c_void;
use std::os::fd::BorrowedFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use plugin_api::{Error, Result};
use rustix::io::Errno;
use rustix::mm::{self, Advice, MapFlags, MprotectFlags, ProtFlags};
use vgpu_abi::{WINDOW_SHIFT, WINDOWS};

use crate::address_limit;
use crate::arena::{Arena, Span};
use crate::fiber::STACKS_OF_SM;

pub use crate::host_cpu::PAGE;

/// Addresses at the window's start that are never handed out, so that small offsets from a truncated or null
/// window pointer fault.
const RESERVED_PREFIX: u64 = 4 << 30;

/// The smallest window: stacks for one multiprocessor, and as much for everything else.
const LEAST: u64 = 2 * STACKS_OF_SM;

/// The access rights of a range of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Nothing.
    None,
    /// Loads.
    Read,
    /// Loads and stores.
    ReadWrite,
    /// Loads and instruction fetches.
    Execute,
}

impl Protection {
    fn flags(self) -> MprotectFlags {
        match self {
            Protection::None => MprotectFlags::empty(),
            Protection::Read => MprotectFlags::READ,
            Protection::ReadWrite => MprotectFlags::READ | MprotectFlags::WRITE,
            Protection::Execute => MprotectFlags::READ | MprotectFlags::EXEC,
        }
    }
}

/// Whether an address lies in the device window.
pub fn contains(address: u64) -> bool {
    address >> WINDOW_SHIFT == INDEX.load(Ordering::Relaxed)
}

/// The window's index, which code is compiled for ([`vgpu_abi::WINDOWS`]).
pub fn index() -> Result<u64> {
    window().map(|_| INDEX.load(Ordering::Relaxed))
}

/// See [`index`]. Signal handlers read it.
static INDEX: AtomicU64 = AtomicU64::new(WINDOWS[0]);

/// A page-aligned range of the window. It is inaccessible until [`Region::protect`] opens it. Dropping it unmaps
/// the range.
pub struct Region {
    span: Span,
}

impl Region {
    /// Reserves `size` bytes (rounded up to pages) aligned to `align`.
    pub fn reserve(size: u64, align: u64) -> Result<Region> {
        let window = window()?;
        let size = size.max(1).checked_next_multiple_of(PAGE);
        let mut addresses = window.lock();
        let span = size.and_then(|size| addresses.alloc(size, align.max(PAGE)));
        span.map(|span| Region { span }).ok_or(Error::OutOfMemory {
            requested: size.unwrap_or(u64::MAX),
            available: addresses.available(),
            total: addresses.total(),
        })
    }

    /// The addresses.
    pub fn span(&self) -> Span {
        self.span
    }

    /// First byte.
    pub fn base(&self) -> *mut u8 {
        self.span.start as *mut u8
    }

    /// Sets the access rights of `len` bytes at `offset`. Both are multiples of [`PAGE`].
    pub fn protect(&self, offset: u64, len: u64, protection: Protection) -> Result<()> {
        let start = self.address(offset, len);
        // SAFETY: the range lies in this region, which nothing else uses.
        let protected = unsafe { mm::mprotect(start, len as usize, protection.flags()) };
        protected.map_err(|errno| Error::System {
            what: "making device memory accessible (if memory is free, raise vm.max_map_count)"
                .into(),
            source: errno.into(),
        })
    }

    /// Maps a part of a file, from this offset on, or fresh pages. They are inaccessible.
    pub fn map(&self, offset: u64, len: u64, file: Option<(BorrowedFd<'_>, u64)>) -> Result<()> {
        let at = self.address(offset, len);
        let flags = MapFlags::FIXED | MapFlags::NORESERVE;
        let none = ProtFlags::empty();
        // SAFETY: the range lies in this region, which nothing else uses.
        let mapped = unsafe {
            match file {
                Some((file, begin)) => mm::mmap(
                    at,
                    len as usize,
                    none,
                    flags | MapFlags::SHARED,
                    file,
                    begin,
                ),
                None => mm::mmap_anonymous(at, len as usize, none, flags | MapFlags::PRIVATE),
            }
        };
        mapped.map(drop).map_err(|errno| Error::System {
            what: "mapping device memory".into(),
            source: errno.into(),
        })
    }

    /// Asks for large pages where parts of 2 MiB are opened. Loops over long arrays touch many pages at once, a grid
    /// apart.
    pub fn prefer_large_pages(&self) {
        let (start, len) = (self.base().cast(), self.span.len as usize);
        // A system without large pages, or without free ones, leaves small pages.
        // SAFETY: the range is this region.
        let _small_pages = unsafe { mm::madvise(start, len, Advice::LinuxHugepage) };
    }

    /// Gives the pages of `len` bytes at `offset` back to the system. They read as zero afterwards.
    pub fn discard(&self, offset: u64, len: u64) {
        let start = self.address(offset, len);
        // A failure leaves the pages in use, which is harmless.
        // SAFETY: the range lies in this region.
        let _kept = unsafe { mm::madvise(start, len as usize, Advice::LinuxDontNeed) };
    }

    /// Makes `len` bytes at `offset` fault on any access, cheaply where the kernel can: `MADV_GUARD_INSTALL` (Linux
    /// 6.13) needs no further mapping, of which a process may have 65,530.
    pub fn guard(&self, offset: u64, len: u64) -> Result<()> {
        // rustix does not have this advice.
        const MADV_GUARD_INSTALL: libc::c_int = 102;
        let start = self.address(offset, len);
        // SAFETY: the range lies in this region.
        if unsafe { libc::madvise(start, len as usize, MADV_GUARD_INSTALL) } == 0
            && takes_advice_seriously(start)
        {
            return Ok(());
        }
        self.protect(offset, len, Protection::None)
    }

    /// The address of a range of the region.
    fn address(&self, offset: u64, len: u64) -> *mut c_void {
        let start = self.span.start + offset;
        assert!(self.span.contains(start, len), "range outside the region");
        start as *mut c_void
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: maps fresh inaccessible pages over a range only this region used.
        let mapped = unsafe { map(self.span, MapFlags::FIXED) };
        // If that failed, the addresses are lost to the process. They are not handed out with old contents.
        if mapped.is_ok()
            && let Ok(window) = window()
        {
            window.lock().free(self.span.start);
        }
    }
}

/// Whether `guarded`, for which the system has accepted the advice to guard it, does fault. Emulators accept any advice
/// and do nothing. All ranges of a process fare alike, so the first one decides.
///
/// Not asked on x86-64, where programs seldom run under an emulator, and where valgrind crashes at the question: it
/// reads the name itself.
fn takes_advice_seriously(guarded: *const c_void) -> bool {
    static SERIOUS: OnceLock<bool> = OnceLock::new();
    if cfg!(target_arch = "x86_64") {
        return true;
    }
    *SERIOUS.get_or_init(|| {
        // SAFETY: asks for a file by the name at that address; the system checks the address itself.
        let found = unsafe { libc::access(guarded.cast(), libc::F_OK) };
        found != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
    })
}

/// Why the window cannot be reserved.
type Refusal = (String, Errno);

fn window() -> Result<&'static Mutex<Arena>> {
    static WINDOW: OnceLock<std::result::Result<Mutex<Arena>, Refusal>> = OnceLock::new();
    WINDOW
        .get_or_init(reserve_window)
        .as_ref()
        .map_err(|(what, errno)| Error::System {
            what: what.clone(),
            source: (*errno).into(),
        })
}

/// Reserves the window in the first place that is free.
fn reserve_window() -> std::result::Result<Mutex<Arena>, Refusal> {
    let allowance = address_limit::allowance();
    if allowance.is_some_and(|allowed| allowed < LEAST) {
        let limited = "the address space is limited; raise `ulimit -v` to 2000000 (2 GB) or more";
        let why = format!("the virtual GPU cannot reserve its addresses ({limited})");
        return Err((why, Errno::NOMEM));
    }
    let mut last = Errno::EXIST;
    for index in WINDOWS {
        match reserve_at(index, allowance) {
            Ok(usable) => {
                INDEX.store(index, Ordering::Relaxed);
                return Ok(Mutex::new(Arena::new(usable)));
            }
            Err(errno) => last = errno,
        }
    }
    let why = match last {
        Errno::EXIST => "something else in this process is mapped there",
        Errno::NOMEM => "the address space is limited; raise `ulimit -v`",
        _ => "the system refused",
    };
    let places = WINDOWS.map(|index| format!("{:#x}", index << WINDOW_SHIFT));
    let places = places.join(" nor at ");
    Err((
        format!("the virtual GPU can reserve its addresses neither at {places} ({why})"),
        last,
    ))
}

/// Reserves the window with this index. Returns the part of it that may be handed out.
fn reserve_at(index: u64, allowance: Option<u64>) -> std::result::Result<Span, Errno> {
    let start = (index << WINDOW_SHIFT) + RESERVED_PREFIX;
    let len = match allowance {
        None => (1 << WINDOW_SHIFT) - RESERVED_PREFIX,
        Some(allowed) => allowed / PAGE * PAGE,
    };
    let usable = Span { start, len };
    // Under a limit the prefix is not reserved. Linux puts nothing there by itself.
    let reserved = match allowance {
        None => Span {
            start: start - RESERVED_PREFIX,
            len: len + RESERVED_PREFIX,
        },
        Some(_) => usable,
    };
    // SAFETY: with MAP_FIXED_NOREPLACE no existing mapping is replaced.
    unsafe { map(reserved, MapFlags::FIXED_NOREPLACE) }?;
    Ok(usable)
}

/// Maps inaccessible pages at `span`.
///
/// # Safety
/// With `MAP_FIXED`, the caller owns the range.
unsafe fn map(span: Span, placement: MapFlags) -> rustix::io::Result<()> {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | placement;
    let wanted = span.start as *mut c_void;
    let len = span.len as usize;
    // SAFETY: the caller's contract.
    let got = unsafe { mm::mmap_anonymous(wanted, len, ProtFlags::empty(), flags)? };
    if got != wanted {
        // Kernels before 4.17 take MAP_FIXED_NOREPLACE as a mere hint.
        // SAFETY: unmaps what was mapped just now.
        unsafe { mm::munmap(got, len)? };
        return Err(Errno::EXIST);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_lie_in_the_window_and_come_back_clean() {
        let region = Region::reserve(3 * PAGE + 1, 1 << 20).unwrap();
        let span = region.span();
        assert!(contains(span.start) && contains(span.end() - 1));
        assert_eq!((span.len, span.start % (1 << 20)), (4 * PAGE, 0));
        region.protect(0, span.len, Protection::ReadWrite).unwrap();
        // SAFETY: the region was made writable.
        unsafe { region.base().write(7) };
        region.discard(0, PAGE);
        // SAFETY: as above.
        assert_eq!(unsafe { region.base().read() }, 0);
    }

    #[test]
    fn more_than_the_window_is_refused() {
        assert!(matches!(
            Region::reserve(2 << 40, PAGE),
            Err(Error::OutOfMemory { .. })
        ));
        assert!(matches!(
            Region::reserve(u64::MAX, PAGE),
            Err(Error::OutOfMemory { .. })
        ));
    }
}
