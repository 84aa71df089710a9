//! What a GPU thread knows of itself.

use crate::CONTEXT_SIZE;

/// What a GPU thread knows of itself. Compiled code reads the fields by their offsets.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadContext {
    /// `%tid`.
    pub tid: [u32; 3],
    /// `%ntid`.
    pub ntid: [u32; 3],
    /// `%ctaid`.
    pub ctaid: [u32; 3],
    /// `%nctaid`.
    pub nctaid: [u32; 3],
    /// `%laneid`.
    pub laneid: u32,
    /// `%warpid`: linear thread index / warp size.
    pub warpid: u32,
    /// `%smid`: the CPU worker that runs the block.
    pub smid: u32,
    /// `%nsmid`.
    pub nsmid: u32,
    /// `%dynamic_smem_size`, bytes.
    pub dynamic_shared_size: u32,
    /// Static plus dynamic shared memory of the block, bytes.
    pub shared_size: u32,
    /// First byte of the block's shared memory (static first, then dynamic).
    pub shared_base: u64,
    /// AMDGCN: the number that LLVM's lowering of shared memory gave the kernel. The kernel's entry writes it.
    pub kernel_number: u32,
    /// Zero.
    pub reserved: u32,
    /// The launch's [`crate::DispatchRecord`], for AMDGCN; its [`crate::GridWorkspace`], for NVPTX.
    pub dispatch: u64,
    /// Instructions of the image that the thread has executed; 0 unless the code was compiled to count them
    /// (`VgpuOptions::count` of the crate `codegen`).
    pub instructions: u64,
}

const _: () = assert!(size_of::<ThreadContext>() <= CONTEXT_SIZE);
