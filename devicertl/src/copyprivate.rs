//! `copyprivate`: what one thread's private variables hold, the others' get.
//!
//! Private variables live in memory that other threads cannot read (on hardware), or that compilers know they
//! do not (openmp-opt). So the values go through the device heap: the thread that has them copies them
//! there, the others copy from there, all with the function clang generated. That function alone knows the
//! variables' sizes; the runtime gives each variable a slot and checks that it was large enough.

use core::ffi::c_void;

use crate::Ident;
use crate::arch::{self, shared};
use crate::nest::Nest;
use crate::sync::team_barrier;

/// Bytes for one variable.
const SLOT: usize = 16 << 10;
/// What the byte behind a slot holds while nobody has run over it. A slot's end is watched over this many bytes.
const WATCHED: usize = 64;
const WATCH: u8 = 0x5a;

/// Copies the variables of one list to those of another.
type Copy = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// Slots for variables, and the list of them that the copy function takes. In one heap block: list, then slots.
struct Staging {
    list: *mut *mut u8,
    count: usize,
}

impl Staging {
    fn new(count: usize) -> Staging {
        let list_bytes = (count * size_of::<*mut u8>()).next_multiple_of(16);
        // One slot more than there are, so that a variable somewhat too large does no harm before it is found.
        let bytes = list_bytes + (count + 1) * (SLOT + WATCHED);
        let block = arch::allocate(bytes).cast::<u8>();
        if block.is_null() {
            arch::trap(c"out of device heap: no memory for copyprivate");
        }
        let staging = Staging {
            list: block.cast(),
            count,
        };
        // SAFETY: within the block.
        unsafe {
            block.add(list_bytes).write_bytes(0, bytes - list_bytes);
            for i in 0..count {
                let slot = block.add(list_bytes + i * (SLOT + WATCHED));
                staging.list.add(i).write(slot);
                slot.add(SLOT).write_bytes(WATCH, WATCHED);
            }
        }
        staging
    }

    fn check(&self) {
        for i in 0..self.count {
            for watched in SLOT..SLOT + WATCHED {
                // SAFETY: within the block.
                if unsafe { *(*self.list.add(i)).add(watched) } != WATCH {
                    arch::trap(c"copyprivate of a variable of more than 16 KiB");
                }
            }
        }
    }
}

/// `copyprivate`: `did_it` tells the thread that ran the `single`. `size` is the list's, in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_copyprivate(
    _location: *const Ident,
    _thread: i32,
    size: usize,
    data: *mut c_void,
    copy: Copy,
    did_it: i32,
) {
    if !Nest::load().in_team() {
        return;
    }
    if did_it != 0 {
        let staging = Staging::new(size / size_of::<*mut c_void>());
        // SAFETY: clang's function, with a list of as many variables; the others read after the barrier.
        unsafe {
            copy(staging.list.cast(), data);
            staging.check();
            arch::send(shared::broadcast(), staging.list.cast());
        }
    }
    team_barrier();
    // SAFETY: sent before the barrier; released when all have copied.
    unsafe {
        let list = arch::receive(shared::broadcast());
        if did_it == 0 {
            copy(data, list);
        }
        team_barrier();
        if did_it != 0 {
            arch::release(list);
        }
    }
}
