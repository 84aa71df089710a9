//! The internal control variables (OpenMP 5.2, §2.2) that device code can change.

/// The ICVs that device code can change.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icvs {
    /// nthreads-var; 0: as many as there are.
    pub num_threads: i32,
    /// dyn-var.
    pub dynamic: i32,
    /// max-active-levels-var.
    pub max_active_levels: i32,
    /// run-sched-var: `omp_sched_t`, with its monotonic bit.
    pub schedule: i32,
    /// run-sched-var: chunk size; 0: the schedule's default.
    pub chunk: i32,
    /// def-allocator-var.
    pub allocator: usize,
}

/// `omp_default_mem_alloc`.
pub const DEFAULT_ALLOCATOR: usize = 1;

/// One level of parallelism can be active on a GPU.
pub const SUPPORTED_ACTIVE_LEVELS: i32 = 1;

impl Icvs {
    /// What a kernel starts with. `omp_sched_static` is 1.
    pub const DEFAULT: Icvs = Icvs {
        num_threads: 0,
        dynamic: 0,
        max_active_levels: SUPPORTED_ACTIVE_LEVELS,
        schedule: 1,
        chunk: 0,
        allocator: DEFAULT_ALLOCATOR,
    };
}
