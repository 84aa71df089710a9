//! LLVM's intrinsics that `core::arch` has no function for, or one of another kind.

unsafe extern "C" {
    /// A barrier that threads of a warp may reach one after the other. `core::arch` has the aligned one alone, which is
    /// undefined where a warp has diverged.
    #[link_name = "llvm.nvvm.barrier.cta.sync.all"]
    pub safe fn barrier(number: i32);
    /// Orders a thread's accesses to memory, as other threads of the device see them.
    #[link_name = "llvm.nvvm.membar.gl"]
    pub safe fn fence();
    /// The lane of the thread.
    #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"]
    pub safe fn lane() -> i32;
    /// Bytes of dynamic shared memory.
    #[link_name = "llvm.nvvm.read.ptx.sreg.dynamic_smem_size"]
    pub safe fn dynamic_shared_size() -> i32;
    /// The value of the lane `delta` further up.
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    pub safe fn shuffle_down(members: i32, value: i32, delta: i32, clamp: i32) -> i32;
    /// The value of the lane `delta` further down.
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    pub safe fn shuffle_up(members: i32, value: i32, delta: i32, clamp: i32) -> i32;
    /// The value of the lane whose number differs in the bits of `mask`.
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    pub safe fn shuffle_xor(members: i32, value: i32, mask: i32, clamp: i32) -> i32;
    /// The value of a lane.
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    pub safe fn shuffle_from(members: i32, value: i32, lane: i32, clamp: i32) -> i32;
}
