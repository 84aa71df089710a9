//! A device, and what is true of it.

use std::sync::Arc;

use plugin_api::DeviceInfo;

use crate::kind;

/// A device.
pub struct Device {
    /// The plugin's.
    pub raw: Arc<dyn plugin_api::Device>,
}

kind!(Device, INVALID_DEVICE);

/// Most work-items of a work-group in its dimensions. The code that reads their numbers relies on it.
pub const MAX_ITEMS: [usize; 3] = [1024, 1024, 64];

/// Bytes to which memory objects are aligned, and sub-buffers have to be: OpenCL's largest type, `double16`.
pub const ALIGNMENT: usize = 128;

/// Extensions, with their versions.
pub const EXTENSIONS: &[(&str, [u32; 3])] = &[
    ("cl_khr_3d_image_writes", [1, 0, 0]),
    ("cl_khr_byte_addressable_store", [1, 0, 0]),
    ("cl_khr_command_buffer", [0, 9, 8]),
    ("cl_khr_fp16", [1, 0, 0]),
    ("cl_khr_fp64", [1, 0, 0]),
    ("cl_khr_global_int32_base_atomics", [1, 0, 0]),
    ("cl_khr_global_int32_extended_atomics", [1, 0, 0]),
    ("cl_khr_icd", [1, 0, 0]),
    ("cl_khr_image2d_from_buffer", [1, 0, 0]),
    ("cl_khr_int64_base_atomics", [1, 0, 0]),
    ("cl_khr_int64_extended_atomics", [1, 0, 0]),
    ("cl_khr_local_int32_base_atomics", [1, 0, 0]),
    ("cl_khr_local_int32_extended_atomics", [1, 0, 0]),
    ("cl_khr_subgroup_shuffle", [1, 0, 0]),
    ("cl_khr_subgroup_shuffle_relative", [1, 0, 0]),
    ("cl_khr_subgroups", [1, 0, 0]),
];

/// Extensions that programs in OpenCL C see nothing of.
pub const OF_THE_HOST: [&str; 2] = ["cl_khr_command_buffer", "cl_khr_icd"];

/// Optional features of OpenCL C 3.0 that there are.
pub const FEATURES: &[&str] = &[
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
];

/// The versions of OpenCL C.
pub const C_VERSIONS: [(u32, u32); 4] = [(1, 0), (1, 1), (1, 2), (3, 0)];

impl Device {
    /// A device of a plugin's.
    pub fn new(raw: Arc<dyn plugin_api::Device>) -> Device {
        Device { raw }
    }

    /// What the plugin says.
    pub fn info(&self) -> &DeviceInfo {
        self.raw.info()
    }

    /// Whether it is a GPU. A virtual one is the processor by another name.
    pub fn is_gpu(&self) -> bool {
        !self.info().arch.is_empty()
    }

    /// Most work-items of a work-group.
    pub fn max_group(&self) -> usize {
        self.info().max_threads_per_block.min(1024) as usize
    }

    /// Most bytes of one memory object: a quarter of the memory, as OpenCL wants at least.
    pub fn max_allocation(&self) -> u64 {
        (self.info().total_memory / 4).max(128 << 20)
    }

    /// Most bytes of local memory of a work-group.
    pub fn local_memory(&self) -> u64 {
        u64::from(self.info().max_shared_memory)
    }
}
