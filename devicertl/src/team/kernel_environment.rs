//! What clang knows of a kernel, and what the host gives each launch (docs/abi.md).

use core::ffi::c_void;

use crate::Ident;

/// `ConfigurationEnvironmentTy` of `OMPKinds.def`: what clang knows of a kernel.
#[repr(C)]
#[derive(Debug)]
pub struct Configuration {
    /// Whether `__kmpc_target_init` runs the workers' state machine; 0 if the kernel has its own.
    pub use_generic_state_machine: u8,
    /// A hint.
    pub may_use_nested_parallelism: u8,
    /// `OMPTgtExecModeFlags`.
    pub exec_mode: u8,
    /// Bounds on threads and teams.
    pub min_threads: i32,
    /// See `min_threads`.
    pub max_threads: i32,
    /// See `min_threads`.
    pub min_teams: i32,
    /// See `min_threads`.
    pub max_teams: i32,
    /// Bytes per team in the cross-team reduction buffer.
    pub reduction_data_size: i32,
    /// Records in that buffer.
    pub reduction_buffer_length: i32,
}

/// `KernelEnvironmentTy`: the `<kernel>_kernel_environment` global.
#[repr(C)]
#[derive(Debug)]
pub struct Environment {
    /// What clang knows of the kernel.
    pub configuration: Configuration,
    /// The construct.
    pub ident: *const Ident,
    /// Not used.
    pub dynamic: *mut c_void,
}

/// `KernelLaunchEnvironmentTy`: what the host gives each launch (docs/abi.md).
#[repr(C)]
#[derive(Debug)]
pub struct LaunchEnvironment {
    /// Teams that have delivered to the current round of the reduction buffer.
    pub reduction_count: u32,
    /// First team number of the current round.
    pub reduction_round: u32,
    /// The reduction buffer.
    pub reduction_buffer: *mut c_void,
}

/// `OMP_TGT_EXEC_MODE_SPMD`.
pub const EXEC_MODE_SPMD: u8 = 2;
/// `OMP_TGT_EXEC_MODE_GENERIC`.
pub const EXEC_MODE_GENERIC: u8 = 1;
