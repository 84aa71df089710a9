//! The services by their C names.

use core::ffi::{c_char, c_int, c_void};

use crate::heap::Heap;
use crate::output::Buffer;
use crate::trap_record::{Reason, TrapRecordPlace};

/// The heap; the plugin gives it memory after loading.
#[unsafe(no_mangle)]
pub static __omptarget_heap: Heap = Heap::new();

/// Where output goes; the plugin gives it memory after loading.
#[unsafe(no_mangle)]
pub static __omptarget_printf_buffer: Buffer = Buffer::new();

/// Where a kernel that ends leaves the reason; the plugin gives it memory after loading.
#[unsafe(no_mangle)]
pub static __omptarget_trap_record: TrapRecordPlace = TrapRecordPlace::new();

// SAFETY: LLVM's intrinsics of this target have these types.
unsafe extern "C" {
    #[link_name = "llvm.amdgcn.workgroup.id.x"]
    safe fn block_x() -> u32;
    #[link_name = "llvm.amdgcn.workgroup.id.y"]
    safe fn block_y() -> u32;
    #[link_name = "llvm.amdgcn.workgroup.id.z"]
    safe fn block_z() -> u32;
    #[link_name = "llvm.amdgcn.workitem.id.x"]
    safe fn thread_x() -> u32;
    #[link_name = "llvm.amdgcn.workitem.id.y"]
    safe fn thread_y() -> u32;
    #[link_name = "llvm.amdgcn.workitem.id.z"]
    safe fn thread_z() -> u32;
}

/// `malloc` (ISO C17, §7.22.3.4).
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn malloc(bytes: usize) -> *mut c_void {
    __omptarget_heap.allocate(bytes as u64).cast()
}

/// `realloc` (ISO C17, §7.22.3.5).
///
/// # Safety
/// As for [`free`]; `pointer` stays in use if the answer is null.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn realloc(pointer: *mut c_void, bytes: usize) -> *mut c_void {
    if pointer.is_null() {
        return malloc(bytes);
    }
    // SAFETY: the caller's promise.
    match unsafe { __omptarget_heap.resize(pointer.cast(), bytes as u64) } {
        Ok(block) => block.cast(),
        Err(_) => {
            let message = c"realloc: not an allocated block of the device heap (freed?)";
            // SAFETY: C strings.
            unsafe { __assertfail(message.as_ptr(), c"".as_ptr(), 0, c"".as_ptr(), 1) }
        }
    }
}

/// `free` (ISO C17, §7.22.3.3).
///
/// # Safety
/// `pointer` is null or came from [`malloc`] and is not used again.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn free(pointer: *mut c_void) {
    if !pointer.is_null() && __omptarget_heap.release(pointer.cast()).is_err() {
        let message = c"free: not an allocated block of the device heap (freed twice?)";
        // SAFETY: C strings.
        unsafe { __assertfail(message.as_ptr(), c"".as_ptr(), 0, c"".as_ptr(), 1) }
    }
}

/// `vprintf` (ISO C17, §7.21.6.10) with packed arguments: what clang makes of `printf` on NVIDIA GPUs, and the runtime
/// on AMD GPUs.
///
/// # Safety
/// As for [`Buffer::print`].
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn vprintf(format: *const c_char, arguments: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { __omptarget_printf_buffer.print(format.cast(), arguments.cast()) }
}

/// CUDA's `__assertfail`, which the runtime calls where it gives up: says why, and ends the kernel.
///
/// # Safety
/// The strings are C strings.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn __assertfail(
    message: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
    _character_size: usize,
) -> ! {
    let reason = Reason {
        message: message.cast(),
        file: file.cast(),
        line,
        function: function.cast(),
    };
    let block = [block_x(), block_y(), block_z()];
    let thread = [thread_x(), thread_y(), thread_z()];
    // SAFETY: the caller's promise.
    unsafe { __omptarget_trap_record.leave(&reason, block, thread) };
    core::intrinsics::abort()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // The build turns panics into traps where they are, so nothing comes here.
    core::intrinsics::abort()
}
