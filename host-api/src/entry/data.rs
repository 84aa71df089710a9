//! `__tgt_target_data_*`: the data constructs, in every form that clang has ever called.

use std::ffi::c_void;
use std::ptr;

use crate::abi::Ident;
use crate::construct::context::Construct;
use crate::construct::data_begin::{Returned, data_begin};
use crate::construct::data_end::data_end;
use crate::construct::device_work::DeviceWork;
use crate::construct::update::update;
use crate::device::omp_device::Target;
use crate::entry::ident;
use crate::entry::raw_items::RawItems;
use crate::host_library::{Dependences, wait_for};
use crate::mapping::map_item::MapItem;
use crate::ompt;
use crate::report::error::Result;
use crate::runtime::runtime;

/// The action of a data construct on its device.
type Action = unsafe fn(&mut DeviceWork<'_>, &[MapItem]) -> Result<Vec<Returned>>;

unsafe fn begin(work: &mut DeviceWork<'_>, items: &[MapItem]) -> Result<Vec<Returned>> {
    // SAFETY: forwarded from the caller.
    unsafe { data_begin(work, items) }
}

unsafe fn end(work: &mut DeviceWork<'_>, items: &[MapItem]) -> Result<Vec<Returned>> {
    // SAFETY: forwarded from the caller.
    unsafe { data_end(work, items) }.map(|()| Vec::new())
}

unsafe fn motion(work: &mut DeviceWork<'_>, items: &[MapItem]) -> Result<Vec<Returned>> {
    // SAFETY: forwarded from the caller.
    unsafe { update(work, items) }.map(|()| Vec::new())
}

/// # Safety
/// The arguments are those of an entry point called by code clang generated.
unsafe fn execute(
    name: &'static str,
    location: *const Ident,
    number: i64,
    raw: RawItems,
    nowait: bool,
    kind: ompt::Construct,
    action: Action,
) {
    let runtime = runtime();
    // SAFETY: caller.
    let construct = Construct::new(name, unsafe { ident::read(location) });
    let Target::Device(device) = construct.target(runtime, number) else {
        return;
    };
    // SAFETY: caller.
    let items = unsafe { raw.items() };
    construct.report_items(runtime, device.number, &items);
    let _origin = construct.origin(runtime);
    let _span = construct.span(runtime, device.number);
    let _event = ompt::region(kind, nowait, device.number);
    // SAFETY: the program is valid as far as its own memory goes (caller).
    let outcome = construct.execute(device, nowait, |work| unsafe { action(work, &items) });
    match outcome {
        Ok(returned) => {
            construct.report_table(runtime, device);
            // SAFETY: the indices are those of items. clang passes writable arrays.
            returned
                .iter()
                .for_each(|value| unsafe { raw.set_base(value.index, value.base) });
        }
        Err(error) => construct.fail(&error, runtime, device.number as i64),
    }
}

/// The entry points of one data construct: current, `nowait`, and those without location.
macro_rules! data_construct {
    (
        $name:literal,
        $kind:ident,
        $action:expr,
        $current:ident,
        $current_nowait:ident,
        $old:ident,
        $old_nowait:ident
    ) => {
        #[doc = concat!("`", $name, "`.")]
        ///
        /// # Safety
        /// Called by code clang generated: the arrays have `count` elements.
        pub unsafe extern "C" fn $current(
            location: *const Ident,
            device: i64,
            count: i32,
            bases: *mut *mut c_void,
            begins: *mut *mut c_void,
            sizes: *const i64,
            types: *const i64,
            names: *const *mut c_void,
            mappers: *const *mut c_void,
        ) {
            let raw = RawItems::new(count, bases, begins, sizes, types, names, mappers);
            // SAFETY: caller.
            unsafe {
                execute(
                    $name,
                    location,
                    device,
                    raw,
                    false,
                    ompt::Construct::$kind,
                    $action,
                )
            };
        }

        #[doc = concat!("`", $name, " nowait`: runs inside the task clang made for it.")]
        ///
        /// # Safety
        /// As the form without `nowait`; the dependence lists are libomp's.
        pub unsafe extern "C" fn $current_nowait(
            location: *const Ident,
            device: i64,
            items: i32,
            bases: *mut *mut c_void,
            begins: *mut *mut c_void,
            sizes: *const i64,
            types: *const i64,
            names: *const *mut c_void,
            mappers: *const *mut c_void,
            count: i32,
            list: *const c_void,
            noalias_count: i32,
            noalias_list: *const c_void,
        ) {
            wait_for(Dependences {
                count,
                list,
                noalias_count,
                noalias_list,
            });
            let raw = RawItems::new(items, bases, begins, sizes, types, names, mappers);
            // SAFETY: caller.
            unsafe {
                execute(
                    $name,
                    location,
                    device,
                    raw,
                    true,
                    ompt::Construct::$kind,
                    $action,
                )
            };
        }

        #[doc = concat!("`", $name, "` of clang 11 and older.")]
        ///
        /// # Safety
        /// As the current form.
        pub unsafe extern "C" fn $old(
            device: i64,
            count: i32,
            bases: *mut *mut c_void,
            begins: *mut *mut c_void,
            sizes: *const i64,
            types: *const i64,
        ) {
            let (location, names, mappers) = (ptr::null(), ptr::null(), ptr::null());
            // SAFETY: caller.
            unsafe {
                $current(
                    location, device, count, bases, begins, sizes, types, names, mappers,
                )
            };
        }

        #[doc = concat!("`", $name, " nowait` of clang 11 and older.")]
        ///
        /// # Safety
        /// As the current form.
        pub unsafe extern "C" fn $old_nowait(
            device: i64,
            items: i32,
            bases: *mut *mut c_void,
            begins: *mut *mut c_void,
            sizes: *const i64,
            types: *const i64,
            count: i32,
            list: *const c_void,
            noalias_count: i32,
            noalias_list: *const c_void,
        ) {
            wait_for(Dependences {
                count,
                list,
                noalias_count,
                noalias_list,
            });
            // SAFETY: caller.
            unsafe { $old(device, items, bases, begins, sizes, types) };
        }
    };
}

data_construct!(
    "target data or target enter data",
    EnterData,
    begin,
    __tgt_target_data_begin_mapper,
    __tgt_target_data_begin_nowait_mapper,
    __tgt_target_data_begin,
    __tgt_target_data_begin_nowait
);
data_construct!(
    "target data end or target exit data",
    ExitData,
    end,
    __tgt_target_data_end_mapper,
    __tgt_target_data_end_nowait_mapper,
    __tgt_target_data_end,
    __tgt_target_data_end_nowait
);
data_construct!(
    "target update",
    Update,
    motion,
    __tgt_target_data_update_mapper,
    __tgt_target_data_update_nowait_mapper,
    __tgt_target_data_update,
    __tgt_target_data_update_nowait
);

/// The first half of a split `target data` (openmp-opt hides latency that way). It completes at once.
///
/// # Safety
/// As [`__tgt_target_data_begin_mapper`].
pub unsafe extern "C" fn __tgt_target_data_begin_mapper_issue(
    location: *const Ident,
    device: i64,
    count: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    types: *const i64,
    names: *const *mut c_void,
    mappers: *const *mut c_void,
    _handle: *mut c_void,
) {
    // SAFETY: caller.
    unsafe {
        __tgt_target_data_begin_mapper(
            location, device, count, bases, begins, sizes, types, names, mappers,
        )
    };
}

/// The second half: there is nothing to wait for.
pub extern "C" fn __tgt_target_data_begin_mapper_wait(_device: i64, _handle: *mut c_void) {}
