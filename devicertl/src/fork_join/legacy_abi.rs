//! The legacy ABI: the papers' own interface, which clang 4 to 12 generated code for. The kernel itself splits into
//! master and workers (*fork-join* paper, pseudocode 1; *sharing* paper, Fig. 2 to 4) and runs the pool's barriers.
//!
//! It stands on the state of `kernel`, `parallel` and `data_sharing`, so such a kernel may use everything else of the
//! runtime. Three things tie it to this runtime (docs/abi.md, "The papers' interface"):
//!
//! - The kernel is launched like every generic one, along y, and asks the runtime for its ids.
//! - clang 22's own state machine uses two of the names: [`__kmpc_kernel_parallel`] and
//!   [`__kmpc_kernel_end_parallel`] therefore have its signatures, which are those of clang 10 to 12.
//! - The *sharing* paper passes the list of references along with those calls; clang passed it in calls of its own
//!   from its first release with data sharing on. Both ways are here: [`__kmpc_kernel_prepare_parallel_shared`]
//!   and [`__kmpc_kernel_parallel_shared`] are the paper's.

use core::ffi::c_void;
use core::ptr::null_mut;

use crate::Ident;
use crate::arch;
use crate::fork_join::data_sharing::{self, References};
use crate::fork_join::kernel;
use crate::fork_join::parallel;
use crate::fork_join::region_end;
use crate::memory::heap;
use crate::team::icv::Icvs;
use crate::team::nest::Nest;
use crate::team::roles;
use crate::team::shared;
use crate::team::state;
use crate::team::thread_state;

/// Starts a kernel: `void (i32 thread limit, i16 whether the full runtime is needed)`, called by the master at the
/// kernel's begin (`CGOpenMPRuntimeGPU`'s entry header in clang 5 to 12, *sharing* paper Fig. 2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_kernel_init(_thread_limit: i32, _requires_runtime: i16) {
    if !arch::is_generic_shape() {
        arch::trap(c"a kernel with a master of its own was launched with a block that does not extend along y");
    }
    arch::assume_mode(false);
    arch::debug_check(
        roles::is_master(),
        c"__kmpc_kernel_init was called by a thread that is not the master",
    );
    kernel::init_master(null_mut());
    // SAFETY: only the master uses it.
    unsafe { *shared::pushed_threads() = 0 };
}

/// Ends a kernel: `void (i16 whether the full runtime was initialised)`, called by the master before the barrier that
/// lets the workers find that there is no more work (*fork-join* paper, pseudocode 1, lines 14 and 15; clang 5 to 12).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_kernel_deinit(_is_runtime_initialised: i16) {
    region_end::leave_all();
    state::end();
    send(core::ptr::null());
}

/// `num_threads`: `void (ident, i32 thread, i32 threads)`, called by the master before it prepares the region
/// (`CGOpenMPRuntimeNVPTX::emitNumThreadsClause`; OpenMP 5.2, §10.1.2). clang 13 and later pass the clause with the
/// region.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_push_num_threads(
    _location: *const Ident,
    _thread: i32,
    threads: i32,
) {
    if roles::is_master() {
        // SAFETY: only the master uses it.
        unsafe { *shared::pushed_threads() = threads };
    }
}

/// Names the region to run: `void (ptr function)`, called by the master before the barrier that releases the pool
/// (pseudocode 1, lines 9 and 10; *sharing* paper Fig. 2). Null ends the workers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_kernel_prepare_parallel(function: *const c_void) {
    if !function.is_null() {
        // SAFETY: only the master uses it.
        let clause = unsafe { core::mem::take(&mut *shared::pushed_threads()) };
        let size = parallel::team_size(clause, Icvs::current().num_threads, false);
        parallel::publish_team(size, Nest::load().level() + 1);
    }
    send(function);
}

/// The same with the list of references, as the *sharing* paper (§5.1) has it: `void (ptr function, ptr list, i32
/// references)`. The master fills the list afterwards, and ends it with [`__kmpc_end_sharing_variables`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_kernel_prepare_parallel_shared(
    function: *const c_void,
    list: &mut *mut *mut c_void,
    references: i32,
) {
    *list = data_sharing::begin_any(references.max(0) as usize);
    // SAFETY: the caller's promise.
    unsafe { __kmpc_kernel_prepare_parallel(function) };
}

/// What to run: `i1 (ptr function)`, called by every worker after the pool's barrier (pseudocode 1, lines 20 to 22;
/// *sharing* paper Fig. 3). Whether the thread takes part; a null function is the end of the kernel. openmp-opt's
/// custom state machine calls it, too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_kernel_parallel(function: &mut *const c_void) -> bool {
    // The papers' workers come here without having called the runtime before. Also where there is nothing to run: only
    // what happens on every path is known in the region behind.
    Nest::GROUP.begin();
    kernel::next_region(function)
}

/// The same with the region's list of references, as the *sharing* paper (§5.1) has it: `i1 (ptr function, ptr list)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_kernel_parallel_shared(
    function: &mut *const c_void,
    list: &mut *mut *mut c_void,
) -> bool {
    // SAFETY: the caller's promise.
    let active = unsafe { __kmpc_kernel_parallel(function) };
    if active {
        // SAFETY: as above.
        unsafe { data_sharing::__kmpc_get_shared_variables(list) };
    }
    active
}

/// The region has returned: `void ()`, called by every worker that took part (*sharing* paper Fig. 3, and openmp-opt's
/// custom state machine).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_kernel_end_parallel() {
    kernel::end_region();
}

/// A list for the references of the region that comes: `void (ptr list, i64 references)`, called by the master
/// (`CGOpenMPRuntimeGPU::emitNonSPMDParallelCall` up to clang 12).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_begin_sharing_variables(list: &mut *mut *mut c_void, count: usize) {
    if Nest::load().is_active() {
        // A serialised region: the list is this thread's alone.
        let bytes = count.max(1).saturating_mul(size_of::<*mut c_void>());
        let references = heap::need(
            bytes,
            heap::purpose!("the captured references of a parallel region"),
        )
        .cast();
        thread_state::push(References { list: references });
        *list = references;
        return;
    }
    *list = data_sharing::begin_any(count);
}

/// Ends that list: `void ()`, called by the master after the region (clang up to 12).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_sharing_variables() {
    if Nest::load().is_active() {
        if let Some(node) = thread_state::find_here::<References>() {
            // SAFETY: the list of the node, which goes with it; the node was found in the thread's list.
            unsafe {
                arch::release((*node).payload.list.cast());
                thread_state::end(node);
            }
        }
        return;
    }
    data_sharing::end_last();
}

/// Bytes in front of pushed storage that remember its size; as many as the storage is aligned to.
const HEADER: usize = 16;

/// Storage for variables that other threads see: `ptr (i64 bytes, i16 whether shared memory is preferred)`, called
/// where they are declared (clang 6 to 12; [`data_sharing::__kmpc_alloc_shared`] since). Each thread that calls gets
/// its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_data_sharing_push_stack(
    bytes: usize,
    _use_shared_memory: i16,
) -> *mut c_void {
    let whole = bytes.saturating_add(HEADER);
    let start = data_sharing::__kmpc_alloc_shared(whole).cast::<usize>();
    // SAFETY: the header is part of the fresh storage.
    unsafe {
        start.write(whole);
        start.byte_add(HEADER).cast()
    }
}

/// The same where clang laid the variables of a warp's lanes out side by side and each lane uses its own element:
/// `ptr (i64 bytes of all lanes, i16)` (clang 8 to 12). Here each lane's frame is its own all the same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_data_sharing_coalesced_push_stack(
    bytes: usize,
    use_shared_memory: i16,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { __kmpc_data_sharing_push_stack(bytes, use_shared_memory) }
}

/// Gives that storage back: `void (ptr)`, called where the variables' scope ends (clang 6 to 12).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_data_sharing_pop_stack(pointer: *mut c_void) {
    // SAFETY: a pointer that `__kmpc_data_sharing_push_stack` gave has a header in front.
    unsafe {
        let start = pointer.byte_sub(HEADER);
        data_sharing::__kmpc_free_shared(start, *start.cast::<usize>());
    }
}

/// Readies the stack: `void ()`, called by the master after [`__kmpc_kernel_init`] and by the workers before their loop
/// (clang 6 to 12). Everything is ready when it is first used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_data_sharing_init_stack() {}

fn send(function: *const c_void) {
    // SAFETY: the workers wait at the barrier of the pool.
    unsafe { arch::send(shared::work_function(), function) };
}
