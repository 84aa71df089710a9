//! What code finds about its launch: the dispatch, as AMDGCN code reads it; what blocks synchronise with, for NVPTX.

/// What AMDGCN code finds behind its dispatch pointer and its implicit-argument pointer. First comes the packet that
/// launched the grid (`hsa_kernel_dispatch_packet_t`, HSA System Architecture, 2.10), then the implicit arguments of
/// code object version 5 (LLVM's AMDGPU usage, "Code Object V5 Metadata"). Fields that only a GPU's driver uses are
/// zero. The explicit arguments follow.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DispatchRecord {
    /// The packet: header and setup.
    pub packet_header: [u16; 2],
    /// Threads per block.
    pub workgroup_size: [u16; 3],
    /// Zero.
    pub packet_reserved0: u16,
    /// Threads of the grid, per dimension.
    pub grid_size: [u32; 3],
    /// Bytes of a thread's private memory.
    pub private_segment_size: u32,
    /// Bytes of a block's shared memory.
    pub group_segment_size: u32,
    /// Zero: there is no kernel object.
    pub kernel_object: u64,
    /// The explicit arguments.
    pub kernarg_address: u64,
    /// Reserved, and the completion signal: zero.
    pub packet_reserved1: [u64; 2],
    /// Implicit arguments: blocks per dimension.
    pub block_count: [u32; 3],
    /// Threads of a full block.
    pub group_size: [u16; 3],
    /// Threads of the partial block at the end of each dimension: there is none.
    pub remainder: [u16; 3],
    /// Zero.
    pub implicit_reserved0: [u64; 2],
    /// Zero: the grid begins at its origin.
    pub global_offset: [u64; 3],
    /// Dimensions of the grid.
    pub grid_dimensions: u16,
    /// Zero.
    pub implicit_reserved1: [u16; 3],
    /// Buffers of the driver's services (printf, host calls, heap, queues): none.
    pub services: [u64; 6],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared_size: u32,
    /// Zero.
    pub implicit_reserved2: u32,
    /// Zero.
    pub implicit_reserved3: [u64; 16],
}

/// What the blocks of a grid synchronise with. CUDA's cooperative groups find it by `%envreg1` and `%envreg2`, the upper
/// and the lower half of its address.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GridWorkspace {
    /// Bytes of the workspace.
    pub size: u32,
    /// The barrier, 0 at first.
    pub barrier: u32,
}

const _: () = assert!(size_of::<DispatchRecord>() == DISPATCH_PACKET_SIZE + IMPLICIT_SIZE);

/// Bytes of the packet in a [`DispatchRecord`].
pub const DISPATCH_PACKET_SIZE: usize = 64;
/// Bytes of the implicit arguments in a [`DispatchRecord`].
pub const IMPLICIT_SIZE: usize = 256;
