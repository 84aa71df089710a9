//! The host runtime: `libomptarget.so`, the library that programs compiled by clang with
//! `--offload-arch` call to run their target regions on a device.
//!
//! Entry points turn what clang passes into safe types and hand it to one of the parts below
//! them; `docs/host-runtime.md` draws the flow of a region through the parts.

pub mod abi;
mod attach;
mod attachment;
#[cfg(test)]
mod concurrency_tests;
mod construct;
mod counters;
mod created;
mod data_begin;
mod data_end;
mod data_entry_points;
#[cfg(test)]
mod data_environment_tests;
mod device;
mod device_runtime;
pub mod entries;
pub mod environment;
mod error;
#[cfg(test)]
mod error_tests;
mod exports;
#[cfg(test)]
mod fake_device;
mod fork;
mod host_task;
mod in_flight;
mod info;
mod interop;
mod interop_object;
mod interop_properties;
mod item_name;
mod kernel_arguments;
#[cfg(test)]
mod kernel_arguments_tests;
mod kernel_environment;
mod kernel_language;
mod launch;
mod launch_shape;
mod legacy_target_entry_points;
mod logger;
mod map_item;
mod map_type;
mod mapper;
mod mapping;
mod mapping_info;
#[cfg(test)]
mod mapping_model_tests;
mod mapping_table;
mod memcpy_rect;
mod offload_policy;
mod omp_allocation;
mod omp_association;
mod omp_copy;
mod omp_copy_async;
mod omp_routines;
mod ompt;
mod place;
mod plugins;
mod program;
mod record_replay;
mod recording_request;
mod reduction_buffer;
mod regions;
mod registration_entry_points;
mod registry;
mod replay_memory;
mod runtime;
mod sorted_blocks;
pub mod source_location;
mod stream_pool;
mod target_entry_points;
mod target_task;
mod thread_number;
mod trace;
mod transfer;
mod update;
mod work;
