//! A GPU maker's driver library, opened at run time, and what the plugins over such libraries keep account of.
//!
//! `plugin-cuda` and `plugin-amdgpu` stand on this crate. It knows no maker's functions. It has what they treat alike:
//!
//! * the table of a library's functions ([`functions!`](crate::functions)), constants of its types
//!   ([`values!`](crate::values)), and calls that fail ([`Failure`]);
//! * the GPUs that there are ([`Found`]), and the kernels of an image ([`KernelTable`]);
//! * idle objects ([`ObjectPool`]), freed memory ([`KeptBlocks`]), pinned memory of a stream ([`Staging`]), functions
//!   of the host ([`HostFunction`]);
//! * the launches in flight ([`InFlight`]), the record of a trap ([`Trap`]), and the fault that follows from both.

mod compile_error;
mod fault;
mod found;
mod function_table;
mod host_function;
mod in_flight;
mod kept_blocks;
mod kernel_table;
mod launch_limits;
mod object_pool;
mod occupancy;
mod settings;
mod staging;
mod synchronous;
mod trap_record;
mod values;

pub use compile_error::compile_error;
pub use fault::{fault_of_trap, kernel_names};
pub use found::Found;
pub use function_table::{Failure, Outcome, Status, linker_message};
pub use host_function::HostFunction;
pub use in_flight::{InFlight, LaunchInFlight, LaunchesInFlight};
pub use kept_blocks::KeptBlocks;
pub use kernel_table::KernelTable;
pub use launch_limits::{invalid_launch, launch_problem};
pub use libloading::Library;
pub use object_pool::ObjectPool;
pub use occupancy::best_block;
pub use settings::{heap_of, size_setting, stack_setting};
pub use staging::{PinnedMemory, Staging};
pub use synchronous::{read_synchronously, run_synchronously, write_synchronously};
pub use trap_record::{RECORD_SIZE, Trap, VARIABLE as TRAP_RECORD_VARIABLE};
