//! `__tgt_register_lib` and related entry points: programs and shared libraries come and go.

use std::ffi::c_void;

use crate::abi::{BinaryDescriptor, MapperFunction};
use crate::construct::in_flight;
use crate::device::mapping_report::report_table;
use crate::device::registry::{Library, Requirements};
use crate::entry::process_end;
use crate::fork;
use crate::host_library::TaskHandle;
use crate::mapping::constants;
use crate::mapping::item_name::ItemName;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::mapper::Components;
use crate::ompt;
use crate::report::error::die;
use crate::report::info::{self, Info};
use crate::runtime::{Runtime, runtime};

/// Registers the images and entries of a program or shared library. Each device loads them at its first use.
///
/// # Safety
/// `descriptor` is one that clang's linker wrapper emitted.
pub unsafe extern "C" fn __tgt_register_lib(descriptor: *const BinaryDescriptor) {
    if !descriptor.is_null() {
        // SAFETY: caller.
        let library = unsafe { Library::read(descriptor) };
        constants::registered(library.id);
        runtime().registry.add(library);
        process_end::watch_signals();
        info::debug(format_args!("registered the images of {descriptor:?}"));
    }
}

/// Unregisters a program or shared library: its device destructors run, its device memory is freed.
pub extern "C" fn __tgt_unregister_lib(descriptor: *const BinaryDescriptor) {
    info::debug(format_args!("unregistering the images of {descriptor:?}"));
    unregister(runtime(), descriptor);
}

/// Removes a program or library from the registry and from the devices.
fn unregister(runtime: &Runtime, descriptor: *const BinaryDescriptor) {
    let Some(library) = runtime.registry.remove(descriptor as usize) else {
        return;
    };
    constants::unregistered(library.id);
    if fork::happened() {
        return;
    }
    let is_last = runtime.registry.is_empty();
    for device in runtime.devices_found() {
        if is_last {
            report_table(device, "at the end of the program");
        }
        let Some(withdrawn) = device.program.withdraw(library.id) else {
            continue;
        };
        in_flight::complete_all(device);
        if let Err(error) = withdrawn.unload(&device.load_target()) {
            die(&format_args!(
                "omptarget error: unloading a device image: {error}"
            ));
        }
    }
    if is_last {
        ompt::devices_go();
    }
}

/// Clauses of `requires`, from clang 18 and older (later ones put them among the entries).
pub extern "C" fn __tgt_register_requires(clauses: i64) {
    runtime()
        .registry
        .require(Requirements::from_bits_retain(clauses));
}

/// Called before the first registration. The runtime needs no initialisation.
pub extern "C" fn __tgt_rtl_init() {
    runtime();
}

/// Called after the last unregistration. Nothing is left to do.
pub extern "C" fn __tgt_rtl_deinit() {}

/// Finds the devices now rather than at the first construct.
pub extern "C" fn __tgt_init_all_rtls() {
    runtime().devices();
}

/// How many components a mapper has pushed.
///
/// # Safety
/// `handle` is the one the runtime passed to the mapper function.
pub unsafe extern "C" fn __tgt_mapper_num_components(handle: *mut c_void) -> i64 {
    // SAFETY: caller.
    unsafe { &*handle.cast::<Components>() }.0.len() as i64
}

/// Pushes a component from inside a mapper function.
///
/// # Safety
/// `handle` is the one the runtime passed to the mapper function; `name` is null or a string.
pub unsafe extern "C" fn __tgt_push_mapper_component(
    handle: *mut c_void,
    base: *mut c_void,
    begin: *mut c_void,
    size: i64,
    kind: i64,
    name: *mut c_void,
) {
    let item = MapItem {
        base: base as u64,
        begin: begin as u64,
        size: size.max(0) as u64,
        kind: MapType::from_bits_retain(kind as u64),
        // SAFETY: caller.
        name: unsafe { ItemName::from_raw(name.cast()) },
        mapper: None::<MapperFunction>,
    };
    // SAFETY: caller.
    unsafe { &mut *handle.cast::<Components>() }.0.push(item);
}

/// Called by libomp instead of the code of a target task whose construct is in flight.
///
/// # Safety
/// `handle` is the handle of a task that no other thread executes.
pub unsafe extern "C" fn __tgt_target_nowait_query(handle: *mut *mut c_void) {
    // SAFETY: caller.
    if let Some(handle) = unsafe { TaskHandle::new(handle) } {
        // SAFETY: caller; the runtime alone fills handles.
        unsafe { in_flight::query(handle) };
    }
}

/// Sets the bits of `LIBOMPTARGET_INFO`.
pub extern "C" fn __tgt_set_info_flag(bits: u32) {
    info::set_level(Info::from_bits_retain(bits));
}

/// Prints the properties of a device. Returns 0 if there is no such device.
pub extern "C" fn __tgt_print_device_info(number: i64) -> i32 {
    let Ok(device) = runtime().device(number) else {
        return 0;
    };
    let what = device.device.info();
    println!("device {number}: {}", what.name);
    println!("  architecture: {}", what.arch);
    println!("  multiprocessors: {}", what.multiprocessors);
    println!("  warp size: {}", what.warp_size);
    println!("  threads per block: {}", what.max_threads_per_block);
    println!("  blocks: {:?}", what.max_blocks);
    println!(
        "  shared memory per block: {} bytes",
        what.max_shared_memory
    );
    println!("  memory: {} bytes", what.total_memory);
    1
}
