//! Kernel parameters of every kind clang 22 passes.

use plugin_api::{Completion, DevicePtr};

use crate::construct::device_work::DeviceWork;
use crate::launch::kernel_arguments::KernelArguments;
use crate::tests::data_environment::{
    MEMBER_OF_FIRST, address, at, begin, end, item, storage, whole,
};
use crate::tests::fake_device::FakeDevice;

#[test]
fn kernel_arguments_of_every_kind() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let mapped = storage::<u32, 10>();
    let private = Box::new([7u8; 12]);
    let pointer = Box::new(at(&*mapped));
    let items = [
        item(at(&*mapped), at(&*mapped) + 8, 16, 0x21),
        item(42, 42, 8, 0x120),
        whole(&*private, 0xa1),
        item(at(&*private), at(&*private) + 4, 4, 0xa0),
        item(at(&*pointer), at(&*mapped) + 8, 8, 0x40a0),
    ];
    begin(&device, &items).unwrap();
    let mut work = DeviceWork::new(&device, Completion::Blocking).unwrap();
    // SAFETY: live items.
    let arguments = unsafe { KernelArguments::collect(&mut work, &items) }.unwrap();
    let values = arguments.values();
    let place = address(&device, at(&*mapped) + 8).unwrap().0;
    assert_eq!((values.len(), values[0], values[1]), (5, place - 8, 42));
    assert_eq!(fake.peek(DevicePtr(values[2]), 12), [7; 12]);
    assert_eq!(values[2] % 64, at(&*private) % 64);
    assert_eq!(
        fake.peek_pointer(DevicePtr(values[4])),
        place - 8,
        "private pointer to the device copy"
    );
    assert_eq!(
        fake.live(),
        2,
        "one mapping, one block of private variables"
    );
    work.complete(Ok(())).unwrap();
    end(&device, &items);
    assert_eq!(fake.live(), 0);
}

#[test]
fn lambda_captures_point_at_device_copies() {
    let (device, fake) = FakeDevice::openmp(1 << 20);
    let captured = Box::new(5u32);
    let lambda = Box::new([at(&*captured), 0]);
    let items = [
        whole(&*lambda, 0x23),
        whole(&*captured, 0x3),
        item(at(&lambda[0]), at(&*captured), 4, MEMBER_OF_FIRST | 0x310),
    ];
    begin(&device, &items).unwrap();
    let mut work = DeviceWork::new(&device, Completion::Blocking).unwrap();
    // SAFETY: live items.
    let arguments = unsafe { KernelArguments::collect(&mut work, &items) }.unwrap();
    assert_eq!(arguments.values().len(), 1);
    let field = fake.peek_pointer(DevicePtr(arguments.values()[0]));
    assert_eq!(field, address(&device, at(&*captured)).unwrap().0);
    work.complete(Ok(())).unwrap();
}
