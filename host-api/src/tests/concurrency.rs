//! Host threads that enter and leave data environments at once.

use std::sync::Arc;

use crate::tests::data_environment::{address, at, begin, end, item, now, storage};
use crate::tests::fake_device::FakeDevice;

/// Many host threads map the same variable at once. Each thread that finds it there must find its data.
#[test]
fn concurrent_constructs_see_complete_data() {
    let (device, fake) = FakeDevice::openmp(1 << 24);
    let array: Arc<Vec<u8>> = Arc::new((0..4096u32).map(|index| (index % 251) as u8).collect());
    let (start, length) = (array.as_ptr() as u64, array.len());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (device, fake, array) = (&device, &fake, &array);
            scope.spawn(move || {
                for round in 0..300 {
                    let items = [item(start, start, length, 0x21)];
                    begin(device, &items).unwrap();
                    let place = address(device, start).unwrap();
                    assert_eq!(
                        fake.peek(place, length),
                        ***array,
                        "thread {thread}, round {round}"
                    );
                    end(device, &items);
                }
            });
        }
    });
    assert_eq!((fake.live(), device.table.snapshot().len()), (0, 0));
}

/// Pointers are attached before another thread may use the variables that hold them.
#[test]
fn concurrent_constructs_see_attached_pointers() {
    let (device, fake) = FakeDevice::openmp(1 << 24);
    let data = storage::<u64, 64>();
    let pointer = Box::new(at(&*data));
    let (pointer_at, data_at) = (at(&*pointer), at(&*data));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (device, fake) = (&device, &fake);
            scope.spawn(move || {
                for _ in 0..300 {
                    let items = [
                        item(pointer_at, pointer_at, 8, 0x23),
                        item(data_at, data_at, 512, 0x3),
                        item(pointer_at, data_at, 8, 0x4000),
                    ];
                    begin(device, &items).unwrap();
                    let place = address(device, pointer_at).unwrap();
                    assert_eq!(
                        fake.peek_pointer(place),
                        address(device, data_at).unwrap().0
                    );
                    end(device, &items);
                }
            });
        }
    });
    assert_eq!((fake.live(), now(&*pointer)), (0, data_at));
}
