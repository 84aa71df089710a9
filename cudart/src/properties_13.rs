//! `cudaDeviceProp` of CUDA 13, which lacks some fields of CUDA 12's and has others.

use std::ffi::c_char;
use std::mem::offset_of;

use crate::properties::DeviceProperties;

/// `cudaDeviceProp` of CUDA 13. The fields are those of [`DeviceProperties`].
#[repr(C)]
pub struct DeviceProperties13 {
    name: [c_char; 256],
    uuid: [u8; 16],
    luid: [u8; 12],
    total_memory: usize,
    shared_per_block: usize,
    registers_per_block: i32,
    warp_size: i32,
    memory_pitch: usize,
    max_threads_per_block: i32,
    max_block: [i32; 3],
    max_grid: [i32; 3],
    constant_memory: usize,
    major: i32,
    minor: i32,
    texture_alignment: usize,
    texture_pitch_alignment: usize,
    multiprocessors: i32,
    integrated: i32,
    maps_host_memory: i32,
    textures: [i32; 39],
    surface_alignment: usize,
    concurrent_kernels: i32,
    ecc: i32,
    pci: [i32; 3],
    tcc: i32,
    copy_engines: i32,
    unified_addressing: i32,
    memory_bus: i32,
    l2_cache: [i32; 2],
    threads_per_multiprocessor: i32,
    stream_priorities: i32,
    l1_cache: [i32; 2],
    shared_per_multiprocessor: usize,
    registers_per_multiprocessor: i32,
    managed_memory: i32,
    board: [i32; 2],
    host_atomics: i32,
    pageable_access: i32,
    concurrent_managed: i32,
    preemption: i32,
    registered_pointers: i32,
    cooperative: i32,
    shared_per_block_optin: usize,
    host_page_tables: i32,
    direct_managed: i32,
    blocks_per_multiprocessor: i32,
    access_window: i32,
    shared_reserved: usize,
    host_register: i32,
    sparse_arrays: i32,
    host_register_read_only: i32,
    timeline_semaphores: i32,
    memory_pools: i32,
    direct_rdma: [i32; 3],
    pool_handles: u32,
    deferred_arrays: i32,
    ipc_events: i32,
    clusters: i32,
    unified_functions: i32,
    /// `deviceNumaConfig`, `deviceNumaId`, `mpsEnabled`.
    numa: [i32; 3],
    host_numa: i32,
    pci_numbers: [u32; 2],
    shares_between_nodes: i32,
    reserved: [i32; 56],
}

const _: () = {
    assert!(size_of::<DeviceProperties13>() == 1008);
    assert!(offset_of!(DeviceProperties13, surface_alignment) == 552);
    assert!(offset_of!(DeviceProperties13, shared_per_block_optin) == 672);
    assert!(offset_of!(DeviceProperties13, reserved) == 784);
};

/// No node of memory (`deviceNumaId`, `hostNumaId`).
const NO_NODE: i32 = -1;

impl From<&DeviceProperties> for DeviceProperties13 {
    fn from(of: &DeviceProperties) -> DeviceProperties13 {
        DeviceProperties13 {
            name: of.name,
            uuid: of.uuid,
            luid: of.luid,
            total_memory: of.total_memory,
            shared_per_block: of.shared_per_block,
            registers_per_block: of.registers_per_block,
            warp_size: of.warp_size,
            memory_pitch: of.memory_pitch,
            max_threads_per_block: of.max_threads_per_block,
            max_block: of.max_block,
            max_grid: of.max_grid,
            constant_memory: of.constant_memory,
            major: of.major,
            minor: of.minor,
            texture_alignment: of.texture_alignment,
            texture_pitch_alignment: of.texture_pitch_alignment,
            multiprocessors: of.multiprocessors,
            integrated: of.integrated,
            maps_host_memory: of.maps_host_memory,
            textures: without_linear(&of.textures),
            surface_alignment: of.surface_alignment,
            concurrent_kernels: of.concurrent_kernels,
            ecc: of.ecc,
            pci: of.pci,
            tcc: of.tcc,
            copy_engines: of.copy_engines,
            unified_addressing: of.unified_addressing,
            memory_bus: of.memory[1],
            l2_cache: of.l2_cache,
            threads_per_multiprocessor: of.threads_per_multiprocessor,
            stream_priorities: of.stream_priorities,
            l1_cache: of.l1_cache,
            shared_per_multiprocessor: of.shared_per_multiprocessor,
            registers_per_multiprocessor: of.registers_per_multiprocessor,
            managed_memory: of.managed_memory,
            board: of.board,
            host_atomics: of.host_atomics,
            pageable_access: of.pageable_access,
            concurrent_managed: of.concurrent_managed,
            preemption: of.preemption,
            registered_pointers: of.registered_pointers,
            cooperative: of.cooperative[0],
            shared_per_block_optin: of.shared_per_block_optin,
            host_page_tables: of.host_page_tables,
            direct_managed: of.direct_managed,
            blocks_per_multiprocessor: of.blocks_per_multiprocessor,
            access_window: of.access_window,
            shared_reserved: of.shared_reserved,
            host_register: of.host_register,
            sparse_arrays: of.sparse_arrays,
            host_register_read_only: of.host_register_read_only,
            timeline_semaphores: of.timeline_semaphores,
            memory_pools: of.memory_pools,
            direct_rdma: of.direct_rdma,
            pool_handles: of.pool_handles,
            deferred_arrays: of.deferred_arrays,
            ipc_events: of.ipc_events,
            clusters: of.clusters,
            unified_functions: of.unified_functions,
            numa: [0, NO_NODE, 0],
            host_numa: NO_NODE,
            pci_numbers: [0; 2],
            shares_between_nodes: 0,
            reserved: [0; 56],
        }
    }
}

/// CUDA 13's structure has no `maxTexture1DLinear`, the third of these sizes.
fn without_linear(sizes: &[i32; 40]) -> [i32; 39] {
    std::array::from_fn(|index| sizes[if index < 2 { index } else { index + 1 }])
}
