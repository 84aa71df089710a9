//! The exported symbols. Each one jumps to the function of the same name.
//!
//! `symbol-versions` says why they are defined in assembly. If the script `exports.map` lacks one of them,
//! `tests/symbols.rs` fails.
//!
//! If there is a tool (`ompt`), each symbol first stores its return address. A Rust function cannot read it.

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[macro_use]
mod jump;

/// Exports functions of this crate under their own names.
macro_rules! export {
    ($($module:ident :: { $($function:ident),* $(,)? })*) => {
        $($(jump!($module, $function);)*)*
    };
}

export! {
    data::{
        __tgt_target_data_begin,
        __tgt_target_data_begin_mapper,
        __tgt_target_data_begin_mapper_issue,
        __tgt_target_data_begin_mapper_wait,
        __tgt_target_data_begin_nowait,
        __tgt_target_data_begin_nowait_mapper,
        __tgt_target_data_end,
        __tgt_target_data_end_mapper,
        __tgt_target_data_end_nowait,
        __tgt_target_data_end_nowait_mapper,
        __tgt_target_data_update,
        __tgt_target_data_update_mapper,
        __tgt_target_data_update_nowait,
        __tgt_target_data_update_nowait_mapper,
    }
    target::{
        __tgt_target_kernel,
        __tgt_target_kernel_nowait,
    }
    kernel_language::{
        __llvmPopCallConfiguration,
        __llvmPushCallConfiguration,
        llvmLaunchKernel,
    }
    legacy_target::{
        __kmpc_push_target_tripcount,
        __kmpc_push_target_tripcount_mapper,
        __tgt_target,
        __tgt_target_mapper,
        __tgt_target_nowait,
        __tgt_target_nowait_mapper,
        __tgt_target_teams,
        __tgt_target_teams_mapper,
        __tgt_target_teams_nowait,
        __tgt_target_teams_nowait_mapper,
    }
    registration::{
        __tgt_init_all_rtls,
        __tgt_mapper_num_components,
        __tgt_print_device_info,
        __tgt_push_mapper_component,
        __tgt_register_lib,
        __tgt_register_requires,
        __tgt_rtl_deinit,
        __tgt_rtl_init,
        __tgt_set_info_flag,
        __tgt_target_nowait_query,
        __tgt_unregister_lib,
    }
    omp_routines::{
        omp_get_device_from_uid,
        omp_get_device_num,
        omp_get_initial_device,
        omp_get_num_devices,
        omp_get_uid_from_device,
    }
    omp_allocation::{
        llvm_omp_target_alloc_device,
        llvm_omp_target_alloc_host,
        llvm_omp_target_alloc_shared,
        llvm_omp_target_dynamic_shared_alloc,
        llvm_omp_target_free_device,
        llvm_omp_target_free_host,
        llvm_omp_target_free_shared,
        llvm_omp_target_lock_mem,
        llvm_omp_target_unlock_mem,
        omp_target_alloc,
        omp_target_free,
    }
    counters::{
        ompx_get_device_counters,
    }
    omp_association::{
        omp_get_mapped_ptr,
        omp_target_associate_ptr,
        omp_target_disassociate_ptr,
        omp_target_is_accessible,
        omp_target_is_present,
        ompx_dump_mapping_tables,
    }
    omp_copy::{
        omp_target_memcpy,
        omp_target_memcpy_rect,
        omp_target_memset,
    }
    omp_copy_async::{
        omp_target_memcpy_async,
        omp_target_memcpy_rect_async,
        omp_target_memset_async,
    }
    interop::{
        __tgt_interop_destroy,
        __tgt_interop_get,
        __tgt_interop_init,
        __tgt_interop_release,
        __tgt_interop_use,
        __tgt_interop_use60,
        __tgt_target_sync,
        ompx_interop_add_completion_callback,
    }
    interop_properties::{
        omp_get_interop_int,
        omp_get_interop_name,
        omp_get_interop_ptr,
        omp_get_interop_str,
        omp_get_interop_type_desc,
    }
    tool::{
        ompt_start_tool,
    }
    record_replay::{
        __tgt_activate_record_replay,
        __tgt_target_kernel_replay,
    }
}
