//! What a device is, and its limits: `cudaDeviceProp`, and the attributes, which are the same by numbers.

use std::ffi::{c_char, c_int};
use std::mem::offset_of;

use crate::cuda_device::CudaDevice;
use crate::launch::MAX_BLOCK;
use crate::texture::array::{MAX_LAYERS, MAX_LINE, MAX_PLANE, MAX_VOLUME};
use crate::texture::object::MAX_ROW;

/// Bytes of `__constant__` variables, as on every NVIDIA GPU.
const CONSTANT_MEMORY: usize = 64 << 10;
/// Threads and blocks that a multiprocessor of NVIDIA's holds at a time, and its registers.
const RESIDENT_THREADS: i32 = 2048;
const RESIDENT_BLOCKS: i32 = 32;
const REGISTERS: i32 = 64 << 10;
/// The clock's rate in kHz. No plugin tells it, and programs divide by it, so this is a nominal one.
const CLOCK_RATE: i32 = 1_000_000;
/// Alignment of textures, which `cudaMalloc` has, and of their rows.
const TEXTURE_ALIGNMENT: usize = 512;
const TEXTURE_PITCH_ALIGNMENT: usize = 32;

/// Sizes of textures and surfaces, as an NVIDIA GPU's of compute capability 8: in one, two and three dimensions, of
/// cubes and of layers.
const TEXTURE_SIZES: [i32; 40] = {
    const LINE: i32 = MAX_LINE as i32;
    const ROWS: i32 = MAX_PLANE[1] as i32;
    const VOLUME: i32 = MAX_VOLUME as i32;
    const LAYERS: i32 = MAX_LAYERS as i32;
    const SIDE: i32 = 32_768;
    const CUBES: i32 = LAYERS - 2;
    [
        LINE,
        SIDE,
        MAX_ROW as i32,
        LINE,
        ROWS,
        SIDE,
        SIDE,
        LINE,
        ROWS,
        i32::MAX,
        SIDE,
        SIDE,
        VOLUME,
        VOLUME,
        VOLUME,
        VOLUME,
        VOLUME,
        VOLUME,
        SIDE,
        SIDE,
        LAYERS,
        SIDE,
        SIDE,
        LAYERS,
        SIDE,
        CUBES,
        SIDE,
        LINE,
        ROWS,
        VOLUME,
        VOLUME,
        VOLUME,
        SIDE,
        LAYERS,
        SIDE,
        SIDE,
        LAYERS,
        SIDE,
        SIDE,
        CUBES,
    ]
};

/// `cudaDeviceProp`. What is not known is 0.
#[repr(C)]
pub struct DeviceProperties {
    /// Name, with a NUL at its end.
    pub name: [c_char; 256],
    /// A number that no other device has.
    pub uuid: [u8; 16],
    /// Of another system.
    pub luid: [u8; 12],
    /// Bytes of memory.
    pub total_memory: usize,
    /// Shared memory of a block.
    pub shared_per_block: usize,
    /// Registers of a block.
    pub registers_per_block: i32,
    /// Lanes of a warp.
    pub warp_size: i32,
    /// Largest pitch of a copy.
    pub memory_pitch: usize,
    /// Threads of a block.
    pub max_threads_per_block: i32,
    /// The same, per dimension.
    pub max_block: [i32; 3],
    /// Blocks of a grid.
    pub max_grid: [i32; 3],
    /// In kHz.
    pub clock_rate: i32,
    /// Bytes of constants.
    pub constant_memory: usize,
    /// Compute capability.
    pub major: i32,
    /// Compute capability.
    pub minor: i32,
    /// Alignment of textures.
    pub texture_alignment: usize,
    /// Alignment of rows of textures.
    pub texture_pitch_alignment: usize,
    /// Copies beside kernels.
    pub overlap: i32,
    /// Multiprocessors.
    pub multiprocessors: i32,
    /// Whether kernels may run only for some time.
    pub timeout: i32,
    /// Whether host and device share memory.
    pub integrated: i32,
    /// Kernels reach memory of `cudaHostAlloc`.
    pub maps_host_memory: i32,
    /// Any number of threads may use it.
    pub compute_mode: i32,
    /// Sizes of textures and surfaces, in the structure's order.
    pub textures: [i32; 40],
    /// Alignment of surfaces.
    pub surface_alignment: usize,
    /// Several kernels at once.
    pub concurrent_kernels: i32,
    /// Whether memory has error correction.
    pub ecc: i32,
    /// Bus, device and domain.
    pub pci: [i32; 3],
    /// Of another system.
    pub tcc: i32,
    /// Engines for copies.
    pub copy_engines: i32,
    /// Host and device addresses do not overlap.
    pub unified_addressing: i32,
    /// Rate and width.
    pub memory: [i32; 2],
    /// Size of the cache, and how much of it can be kept.
    pub l2_cache: [i32; 2],
    /// Threads of a multiprocessor.
    pub threads_per_multiprocessor: i32,
    /// Whether streams have priorities.
    pub stream_priorities: i32,
    /// Whether the first cache serves global and local memory.
    pub l1_cache: [i32; 2],
    /// Shared memory of a multiprocessor.
    pub shared_per_multiprocessor: usize,
    /// Registers of a multiprocessor.
    pub registers_per_multiprocessor: i32,
    /// There is `cudaMallocManaged`.
    pub managed_memory: i32,
    /// Whether it shares a board with others, and which.
    pub board: [i32; 2],
    /// Whether atomic operations reach host memory.
    pub host_atomics: i32,
    /// How much slower `double` is than `float`.
    pub double_ratio: i32,
    /// Whether kernels reach the program's own memory.
    pub pageable_access: i32,
    /// Host and kernels use managed memory at once.
    pub concurrent_managed: i32,
    /// Whether kernels are preempted.
    pub preemption: i32,
    /// Whether kernels use the host's address of registered memory.
    pub registered_pointers: i32,
    /// Whether blocks of a grid can wait for each other; and those of several devices.
    pub cooperative: [i32; 2],
    /// Shared memory of a block with `cudaFuncSetAttribute`.
    pub shared_per_block_optin: usize,
    /// Whether kernels use the host's page tables.
    pub host_page_tables: i32,
    /// Whether the host reaches managed memory on the device.
    pub direct_managed: i32,
    /// Blocks of a multiprocessor.
    pub blocks_per_multiprocessor: i32,
    /// Of caches.
    pub access_window: i32,
    /// Shared memory of a block that is reserved.
    pub shared_reserved: usize,
    /// There is `cudaHostRegister`. CUDA 11's structure ends before this.
    pub host_register: i32,
    /// Sparse arrays.
    pub sparse_arrays: i32,
    /// Memory registered for reading.
    pub host_register_read_only: i32,
    /// Semaphores of other interfaces.
    pub timeline_semaphores: i32,
    /// There are pools of memory.
    pub memory_pools: i32,
    /// Other devices that reach its memory.
    pub direct_rdma: [i32; 3],
    /// Handles of pools for other processes.
    pub pool_handles: u32,
    /// Of arrays.
    pub deferred_arrays: i32,
    /// Events for other processes.
    pub ipc_events: i32,
    /// Clusters.
    pub clusters: i32,
    /// Pointers to functions are the same everywhere.
    pub unified_functions: i32,
    /// Zeros.
    pub reserved: [i32; 63],
}

/// The size of CUDA 12's structure.
const _: () = assert!(size_of::<DeviceProperties>() == 1032);

impl DeviceProperties {
    /// The bytes that CUDA 11's structure has: the first ones.
    pub const OLD_SIZE: usize = offset_of!(DeviceProperties, host_register);

    /// What a device is.
    pub fn of(device: &CudaDevice) -> DeviceProperties {
        let info = device.raw.info();
        // SAFETY: zeros are numbers and an empty name.
        let mut properties: DeviceProperties = unsafe { std::mem::zeroed() };
        // The last byte stays NUL.
        let name = info.name.bytes().take(properties.name.len() - 1);
        for (place, byte) in properties.name.iter_mut().zip(name) {
            *place = byte as c_char;
        }
        properties.uuid[..9].copy_from_slice(b"omptarget");
        properties.uuid[15] = device.number as u8;
        let (major, minor) = device.capability();
        DeviceProperties {
            total_memory: info.total_memory as usize,
            shared_per_block: device.usual_shared() as usize,
            registers_per_block: REGISTERS,
            warp_size: signed(info.warp_size),
            memory_pitch: i32::MAX as usize,
            max_threads_per_block: signed(info.max_threads_per_block),
            max_block: MAX_BLOCK.map(signed),
            max_grid: info.max_blocks.map(signed),
            clock_rate: CLOCK_RATE,
            constant_memory: CONSTANT_MEMORY,
            major,
            minor,
            texture_alignment: TEXTURE_ALIGNMENT,
            texture_pitch_alignment: TEXTURE_PITCH_ALIGNMENT,
            overlap: 1,
            multiprocessors: signed(info.multiprocessors),
            maps_host_memory: 1,
            textures: TEXTURE_SIZES,
            surface_alignment: TEXTURE_ALIGNMENT,
            concurrent_kernels: 1,
            pci: [device.number as i32, 0, 0],
            copy_engines: 1,
            unified_addressing: 1,
            threads_per_multiprocessor: RESIDENT_THREADS,
            l1_cache: [1, 1],
            shared_per_multiprocessor: info.max_shared_memory as usize,
            registers_per_multiprocessor: REGISTERS,
            managed_memory: 1,
            double_ratio: 2,
            concurrent_managed: 1,
            cooperative: [1, 0],
            shared_per_block_optin: info.max_shared_memory as usize,
            direct_managed: 1,
            blocks_per_multiprocessor: RESIDENT_BLOCKS,
            registered_pointers: 1,
            host_register: 1,
            ipc_events: device.raw.address_space().is_some().into(),
            host_register_read_only: 1,
            memory_pools: 1,
            ..properties
        }
    }

    /// The attribute of a number of `cudaDeviceAttr`; `None` if there is no such number.
    pub fn attribute(&self, number: c_int) -> Option<c_int> {
        let size = |bytes: usize| c_int::try_from(bytes).unwrap_or(c_int::MAX);
        Some(match number {
            1 => self.max_threads_per_block,
            2..=4 => self.max_block[number as usize - 2],
            5..=7 => self.max_grid[number as usize - 5],
            8 => size(self.shared_per_block),
            9 => size(self.constant_memory),
            10 => self.warp_size,
            11 => size(self.memory_pitch),
            12 => self.registers_per_block,
            13 => self.clock_rate,
            14 => size(self.texture_alignment),
            15 => self.overlap,
            16 => self.multiprocessors,
            17 => self.timeout,
            18 => self.integrated,
            19 => self.maps_host_memory,
            20 => self.compute_mode,
            // Fetches of four texels.
            44 => 1,
            21..=29 | 42..=49 | 52..=74 | 77 => self.textures[texture_size(number)?],
            30 => size(self.surface_alignment),
            31 => self.concurrent_kernels,
            32 => self.ecc,
            33 | 34 => self.pci[number as usize - 33],
            35 => self.tcc,
            36 | 37 => self.memory[number as usize - 36],
            38 => self.l2_cache[0],
            39 => self.threads_per_multiprocessor,
            40 => self.copy_engines,
            41 => self.unified_addressing,
            50 => self.pci[2],
            51 => size(self.texture_pitch_alignment),
            75 => self.major,
            76 => self.minor,
            78 => self.stream_priorities,
            79 | 80 => self.l1_cache[number as usize - 79],
            81 => size(self.shared_per_multiprocessor),
            82 => self.registers_per_multiprocessor,
            83 => self.managed_memory,
            84 | 85 => self.board[number as usize - 84],
            86 => self.host_atomics,
            87 => self.double_ratio,
            88 => self.pageable_access,
            89 => self.concurrent_managed,
            90 => self.preemption,
            91 => self.registered_pointers,
            95 | 96 => self.cooperative[number as usize - 95],
            97 => size(self.shared_per_block_optin),
            99 => self.host_register,
            100 => self.host_page_tables,
            101 => self.direct_managed,
            106 => self.blocks_per_multiprocessor,
            108 => self.l2_cache[1],
            109 => self.access_window,
            111 => size(self.shared_reserved),
            113 => self.host_register_read_only,
            115 => self.memory_pools,
            120 => self.clusters,
            125 => self.ipc_events,
            // Of the rest, such as arrays, other processes and several hosts, the devices have nothing.
            92..=94 | 98 | 112 | 114 | 116..=119 | 121..=143 => 0,
            _ => return None,
        })
    }
}

/// Where the attribute of a texture's or surface's size is among those of the structure.
fn texture_size(number: c_int) -> Option<usize> {
    /// First attribute, last one, place of the first.
    const PLACES: [(c_int, c_int, usize); 13] = [
        (21, 21, 0),
        (22, 23, 3),
        (24, 26, 12),
        (27, 29, 21),
        (42, 43, 19),
        (45, 46, 10),
        (47, 49, 15),
        (52, 52, 18),
        (53, 68, 24),
        (69, 69, 2),
        (70, 72, 7),
        (73, 74, 5),
        (77, 77, 1),
    ];
    let found = PLACES
        .iter()
        .find(|(first, last, _)| (*first..=*last).contains(&number))?;
    Some(found.2 + (number - found.0) as usize)
}

/// A number with which nobody computes.
fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
