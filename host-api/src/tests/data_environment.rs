//! The data environment as a whole, with the items that clang 22 emits for each map form.

use std::ffi::c_void;

use plugin_api::{Completion, DevicePtr};

use crate::abi::Dimension;
use crate::construct::data_begin::{Returned, data_begin};
use crate::construct::data_end::data_end;
use crate::construct::device_work::DeviceWork;
use crate::construct::update::update;
use crate::device::omp_device::OmpDevice;
use crate::entry::registration::{__tgt_mapper_num_components, __tgt_push_mapper_component};
use crate::launch::kernel_arguments::KernelArguments;
use crate::mapping::item_name::ItemName;
use crate::mapping::map_item::MapItem;
use crate::mapping::map_type::MapType;
use crate::mapping::table::{Count, Section};
use crate::report::error::Error;
use crate::tests::fake_device::FakeDevice;

pub(crate) const MEMBER_OF_FIRST: u64 = 1 << 48;

pub(crate) fn item(base: u64, begin: u64, size: usize, kind: u64) -> MapItem {
    MapItem {
        base,
        begin,
        size: size as u64,
        kind: MapType::from_bits_retain(kind),
        name: ItemName::of(c";x;t.c;1;1;;"),
        mapper: None,
    }
}

pub(crate) fn whole<T>(value: &T, kind: u64) -> MapItem {
    let at = std::ptr::from_ref(value) as u64;
    item(at, at, size_of::<T>(), kind)
}

pub(crate) fn at<T>(value: &T) -> u64 {
    std::ptr::from_ref(value) as u64
}

pub(crate) fn begin(device: &OmpDevice, items: &[MapItem]) -> Result<Vec<Returned>, Error> {
    // SAFETY: the tests' items name live variables.
    blocking(device, |work| unsafe { data_begin(work, items) })
}

/// Executes the work that `body` queues, blocking.
pub(crate) fn blocking<'a, T>(
    device: &'a OmpDevice,
    body: impl FnOnce(&mut DeviceWork<'a>) -> Result<T, Error>,
) -> Result<T, Error> {
    let mut work = DeviceWork::new(device, Completion::Blocking)?;
    let outcome = body(&mut work);
    work.complete(outcome)
}

pub(crate) fn end(device: &OmpDevice, items: &[MapItem]) {
    // SAFETY: as above. The written locals are read through volatile loads, like `Cell`s.
    blocking(device, |work| unsafe { data_end(work, items) }).unwrap();
}

pub(crate) fn address(device: &OmpDevice, host: u64) -> Option<DevicePtr> {
    device
        .table
        .find(Section::inside(host, 1))
        .map(|mapping| mapping.device_address(host))
}

/// The value of a host variable that other code writes through its address.
pub(crate) fn now<T: Copy>(value: &T) -> T {
    // SAFETY: a live reference.
    unsafe { std::ptr::from_ref(value).read_volatile() }
}

/// Address of host storage that the runtime may write.
pub(crate) fn storage<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    Box::new([T::default(); N])
}

#[test]
fn tofrom_goes_there_and_back_and_leaves_nothing() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let mut array = storage::<u32, 4>();
    *array = [1, 2, 3, 4];
    let items = [whole(&*array, 0x23)];
    begin(&device, &items).unwrap();
    let place = address(&device, at(&*array)).unwrap();
    assert_eq!(fake.peek(place, 8), [1, 0, 0, 0, 2, 0, 0, 0]);
    fake.poke(place, &[9]);
    end(&device, &items);
    assert_eq!(now(&array[0]), 9);
    assert_eq!((fake.live(), address(&device, at(&*array))), (0, None));
}

#[test]
fn inner_constructs_copy_nothing_but_always_does() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let mut value = storage::<u8, 1>();
    value[0] = 1;
    let (outer, inner, always) = (
        whole(&*value, 0x3),
        whole(&*value, 0x23),
        whole(&*value, 0x27),
    );
    begin(&device, std::slice::from_ref(&outer)).unwrap();
    let place = address(&device, at(&*value)).unwrap();
    value[0] = 2;
    begin(&device, std::slice::from_ref(&inner)).unwrap();
    assert_eq!(fake.peek(place, 1), [1]);
    fake.poke(place, &[7]);
    end(&device, &[inner]);
    assert_eq!(now(&value[0]), 2);
    begin(&device, std::slice::from_ref(&always)).unwrap();
    assert_eq!(fake.peek(place, 1), [2]);
    fake.poke(place, &[8]);
    end(&device, &[always]);
    assert_eq!(now(&value[0]), 8);
    fake.poke(place, &[9]);
    end(&device, &[outer]);
    assert_eq!((now(&value[0]), fake.live()), (9, 0));
}

#[test]
fn delete_drops_every_reference_and_twice_is_nothing() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let value = storage::<u64, 3>();
    for _ in 0..3 {
        begin(&device, &[whole(&*value, 0x1)]).unwrap();
    }
    assert_eq!(device.table.snapshot()[0].dynamic, Count::Finite(3));
    end(&device, &[whole(&*value, 0x8)]);
    assert_eq!(fake.live(), 0);
    end(&device, &[whole(&*value, 0x8)]);
}

#[test]
fn hold_keeps_what_delete_wants_to_drop() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let value = storage::<u64, 1>();
    let held = [whole(&*value, 0x2003)];
    begin(&device, &held).unwrap();
    begin(&device, &[whole(&*value, 0x1)]).unwrap();
    end(&device, &[whole(&*value, 0x8)]);
    assert_eq!((fake.live(), device.table.snapshot()[0].hold), (1, 1));
    end(&device, &held);
    assert_eq!(fake.live(), 0);
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Node {
    a: i32,
    data: u64,
    b: i32,
}

#[test]
fn struct_members_share_one_storage() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let node = Box::new(Node {
        a: 5,
        data: 0,
        b: 6,
    });
    // map(tofrom: node.a, node.b): the enclosing part, then both members.
    let items = [
        whole(&*node, 0x20),
        item(at(&*node), at(&node.a), 4, MEMBER_OF_FIRST | 3),
        item(at(&*node), at(&node.b), 4, MEMBER_OF_FIRST | 3),
    ];
    begin(&device, &items).unwrap();
    let (a, b) = (
        address(&device, at(&node.a)).unwrap(),
        address(&device, at(&node.b)).unwrap(),
    );
    assert_eq!(b.0 - a.0, 16);
    assert_eq!((fake.peek(a, 1), fake.peek(b, 1)), (vec![5], vec![6]));
    assert_eq!(device.table.snapshot()[0].dynamic, Count::Finite(1));
    fake.poke(b, &[7]);
    end(&device, &items);
    assert_eq!((now(&node.b), fake.live()), (7, 0));
}

#[test]
fn attached_pointers_survive_copies_on_both_sides() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let data = storage::<i32, 10>();
    let host_pointer = at(&*data) - 8;
    let mut node = Box::new(Node {
        a: 1,
        data: host_pointer,
        b: 2,
    });
    // map(tofrom: node, node.data[2:8]) with node.data two elements ahead of its section.
    let items = [
        whole(&*node, 0x23),
        item(host_pointer, at(&*data), 32, 0x3),
        item(at(&node.data), at(&*data), 8, 0x4000),
    ];
    begin(&device, &items).unwrap();
    let on_device = address(&device, at(&node.data)).unwrap();
    let target = address(&device, at(&*data)).unwrap();
    assert_eq!(fake.peek_pointer(on_device), target.0 - 8);

    node.a = 3;
    // SAFETY: live items.
    blocking(&device, |work| unsafe {
        update(work, &[whole(&*node, 0x1)])
    })
    .unwrap();
    assert_eq!(fake.peek_pointer(on_device), target.0 - 8);
    assert_eq!(fake.peek(address(&device, at(&node.a)).unwrap(), 1), [3]);

    fake.poke(address(&device, at(&node.b)).unwrap(), &[9]);
    // SAFETY: live items.
    blocking(&device, |work| unsafe {
        update(work, &[whole(&*node, 0x2)])
    })
    .unwrap();
    assert_eq!((now(&node.data), now(&node.b)), (host_pointer, 9));
    end(&device, &items);
    assert_eq!((now(&node.data), fake.live()), (host_pointer, 0));
}

#[test]
fn attach_only_where_something_is_new() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let (first, second) = (storage::<u8, 16>(), storage::<u8, 16>());
    let mut pointer = Box::new(at(&*first));
    begin(
        &device,
        &[
            whole(&*pointer, 0x1),
            whole(&*first, 0x1),
            whole(&*second, 0x1),
        ],
    )
    .unwrap();
    let place = address(&device, at(&*pointer)).unwrap();
    assert_eq!(fake.peek_pointer(place), at(&*first));
    let attach = |kind| item(at(&*pointer), at(&*first), 8, kind);
    begin(&device, &[attach(0x4000)]).unwrap();
    assert_eq!(fake.peek_pointer(place), at(&*first), "nothing is new");
    begin(&device, &[attach(0x4004)]).unwrap();
    assert_eq!(
        fake.peek_pointer(place),
        address(&device, at(&*first)).unwrap().0,
        "attach(always)"
    );
    // The host pointer moves to something that is newly mapped.
    let third = storage::<u8, 16>();
    *pointer = at(&*third);
    begin(
        &device,
        &[
            whole(&*third, 0x1),
            item(at(&*pointer), at(&*third), 8, 0x4000),
        ],
    )
    .unwrap();
    assert_eq!(
        fake.peek_pointer(place),
        address(&device, at(&*third)).unwrap().0
    );
}

#[test]
fn pointer_and_object_as_older_clang_maps_it() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let data = storage::<u16, 8>();
    let node = Box::new(Node {
        a: 0,
        data: at(&*data),
        b: 0,
    });
    let items = [
        item(at(&*node), at(&node.data), 8, 0x20),
        item(at(&node.data), at(&*data), 16, MEMBER_OF_FIRST | 0x13),
    ];
    begin(&device, &items).unwrap();
    let place = address(&device, at(&node.data)).unwrap();
    assert_eq!(
        fake.peek_pointer(place),
        address(&device, at(&*data)).unwrap().0
    );
    end(&device, &items);
    assert_eq!((fake.live(), now(&node.data)), (0, at(&*data)));
    // `declare target link` has no enclosing item: pointer and object are counted.
    let link = [item(at(&node.data), at(&*data), 16, 0x13)];
    begin(&device, &link).unwrap();
    assert_eq!(fake.live(), 2);
    end(&device, &link);
    assert_eq!(fake.live(), 0);
}

#[test]
fn overlapping_sections() {
    let (device, _fake) = FakeDevice::openmp(1 << 20);
    let array = storage::<u8, 64>();
    let section = |from: u64, size, kind| item(at(&*array), at(&*array) + from, size, kind);
    begin(&device, &[section(16, 16, 0x1)]).unwrap();
    for (from, size) in [(0, 17), (31, 2), (0, 64)] {
        let error = begin(&device, &[section(from, size, 0x1)]).unwrap_err();
        assert!(matches!(error, Error::Extends { .. }), "{error}");
        assert!(error.to_string().contains("'x'"));
    }
    begin(&device, &[section(0, 64, 0x221)]).unwrap();
    begin(&device, &[section(0, 16, 0x1), section(32, 32, 0x1)]).unwrap();
    assert_eq!(device.table.snapshot().len(), 3);
}

#[test]
fn zero_length_sections() {
    let (device, _fake) = FakeDevice::openmp(1 << 20);
    let array = storage::<u32, 30>();
    let base = at(&*array);
    begin(&device, &[item(base, base + 40, 40, 0x1)]).unwrap();
    let place = address(&device, base + 40).unwrap();
    let argument = |host| {
        let mut work = DeviceWork::new(&device, Completion::Blocking).unwrap();
        // SAFETY: nothing is read.
        let arguments =
            unsafe { KernelArguments::collect(&mut work, &[item(host, host, 0, 0x220)]) }.unwrap();
        arguments.values()[0]
    };
    assert_eq!(argument(base + 48), place.0 + 8, "inside");
    assert_eq!(
        argument(base),
        place.0 - 40,
        "the base of the mapped section"
    );
    assert_eq!(argument(base + 80), base + 80, "past it");
    assert_eq!(argument(0), 0);
    begin(&device, &[item(base, base, 0, 0x220)]).unwrap();
    assert_eq!(device.table.snapshot()[0].dynamic, Count::Finite(2));
    end(&device, &[item(base, base, 0, 0x220)]);
    assert_eq!(device.table.snapshot()[0].dynamic, Count::Finite(1));
}

#[test]
fn present_modifier() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let value = storage::<u32, 2>();
    let error = begin(&device, &[whole(&*value, 0x1001)]).unwrap_err();
    assert!(error.to_string().contains("'x'") && matches!(error, Error::NotPresent { .. }));
    // SAFETY: live items.
    let motion = blocking(&device, |work| unsafe {
        update(work, &[whole(&*value, 0x1001)])
    });
    assert!(matches!(motion, Err(Error::NotPresent { .. })));
    // SAFETY: live items.
    let exit = blocking(&device, |work| unsafe {
        data_end(work, &[whole(&*value, 0x1002)])
    });
    assert!(matches!(exit, Err(Error::NotPresent { .. })));
    begin(&device, &[whole(&*value, 0x1)]).unwrap();
    begin(&device, &[whole(&*value, 0x1001)]).unwrap();
    assert_eq!(fake.live(), 1);
    // SAFETY: live items; an absent one without the modifier is ignored.
    blocking(&device, |work| unsafe {
        update(work, &[item(8, 8, 4, 0x1)])
    })
    .unwrap();
}

#[test]
fn device_pointers_are_returned() {
    let (device, _fake) = FakeDevice::openmp(1 << 20);
    let array = storage::<u32, 8>();
    let base = at(&*array);
    begin(&device, &[item(base, base + 8, 16, 0x1)]).unwrap();
    let place = address(&device, base + 8).unwrap().0;
    let returned = |host, kind| begin(&device, &[item(host, host, 0, kind)]).unwrap()[0].base;
    assert_eq!(returned(base + 8, 0x40), place);
    assert_eq!(returned(base, 0x40), place - 8);
    assert_eq!(returned(64, 0x40), 64, "not mapped: stays");
    assert_eq!(returned(64, 0x8040), 0, "not mapped, nullified");
    let both = begin(
        &device,
        &[whole(&base, 0x1), item(base, base + 8, 16, 0x43)],
    )
    .unwrap();
    assert_eq!(
        both,
        [Returned {
            index: 1,
            base: place - 8
        }]
    );
}

#[test]
fn out_of_memory_names_the_item() {
    let (device, _fake) = FakeDevice::openmp(100);
    let array = storage::<u8, 200>();
    let error = begin(&device, &[whole(&*array, 0x1)]).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("'x' (200 bytes") && text.contains("out of device memory"),
        "{text}"
    );
    assert!(error.hint().is_some());
}

#[test]
fn alignment_of_the_host_is_kept() {
    #[repr(align(64))]
    struct Aligned([u8; 256]);
    let (device, _fake) = FakeDevice::openmp(1 << 20);
    let object = Box::new(Aligned([0; 256]));
    let base = object.0.as_ptr() as u64;
    let begin_at = base + 40;
    begin(&device, &[item(base, begin_at, 100, 0x1)]).unwrap();
    assert_eq!(address(&device, begin_at).unwrap().0 % 64, begin_at % 64);
}

#[test]
fn non_contiguous_update() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let mut matrix = storage::<u8, 16>();
    begin(&device, &[whole(&*matrix, 0x1)]).unwrap();
    *matrix = std::array::from_fn(|index| index as u8 + 1);
    let dimensions = [
        Dimension {
            offset: 1,
            count: 2,
            stride: 4,
        },
        Dimension {
            offset: 2,
            count: 2,
            stride: 1,
        },
    ];
    let strided = item(
        at(&*matrix),
        at(&dimensions),
        2,
        MapType::NON_CONTIGUOUS.bits() | 0x1,
    );
    // SAFETY: live matrix and dimensions.
    blocking(&device, |work| unsafe { update(work, &[strided]) }).unwrap();
    let expected = [0, 0, 0, 0, 0, 0, 7, 8, 0, 0, 11, 12, 0, 0, 0, 0];
    assert_eq!(
        fake.peek(address(&device, at(&*matrix)).unwrap(), 16),
        expected
    );
}

/// As clang emits for `declare mapper(Node n) map(n.a, n.b)` and one element.
unsafe extern "C" fn node_mapper(
    handle: *mut c_void,
    base: *mut c_void,
    begin: *mut c_void,
    _size: i64,
    kind: i64,
    _name: *mut c_void,
) {
    // SAFETY: the runtime's handle.
    let parent = unsafe { __tgt_mapper_num_components(handle) } + 1;
    let member = (parent << 48) | (kind & 0x7);
    for (offset, size, kind) in [(0, 24, kind & !0x7), (0, 4, member), (16, 4, member)] {
        // SAFETY: the runtime's handle.
        unsafe {
            __tgt_push_mapper_component(
                handle,
                base,
                begin.wrapping_byte_add(offset),
                size,
                kind,
                std::ptr::null_mut(),
            );
        }
    }
}

#[test]
fn mapper_components_take_the_items_place() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let node = Box::new(Node {
        a: 1,
        data: 0x1234,
        b: 2,
    });
    let items = [MapItem {
        mapper: Some(node_mapper),
        ..whole(&*node, 0x3)
    }];
    begin(&device, &items).unwrap();
    let place = address(&device, at(&node.b)).unwrap();
    assert_eq!(fake.peek(place, 1), [2]);
    fake.poke(place, &[5]);
    fake.poke(address(&device, at(&node.data)).unwrap(), &[5]);
    end(&device, &items);
    assert_eq!((now(&node.b), now(&node.data), fake.live()), (5, 0x1234, 0));
}
