//! `plugin-cuda` alone on the driver of `tests/fake-cuda`: cases that programs of clang's do not cause.

use std::sync::Arc;

use device_image::Image;
use e2e::cuda;
use e2e::fake_driver::FakeDriver;
use e2e::ir::assemble;
use plugin_api::{Completion, Device, DevicePtr, Error, LoadOptions, MemoryKind};

/// The test `name` of this file in a process of its own: the driver's library is found when a process starts.
fn child(driver: &FakeDriver, name: &str) {
    let test = std::env::current_exe().expect("the test's own path");
    let outcome = driver.run(&test, &["--exact", name, "--ignored", "--nocapture"]);
    let said = outcome.passed(name);
    assert!(said.contains("1 passed"), "{said}");
}

/// The devices, in such a process.
fn devices() -> Vec<Arc<dyn Device>> {
    let found = plugin_cuda::plugin().unwrap_or_else(|why| panic!("{why}"));
    found.plugin.devices()
}

fn read(device: &dyn Device, address: DevicePtr, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    // SAFETY: writable for its length.
    unsafe { device.read(bytes.as_mut_ptr(), address, length) }.expect("the address is good");
    bytes
}

fn write(device: &dyn Device, address: DevicePtr, bytes: &[u8]) {
    // SAFETY: readable for its length.
    unsafe { device.write(address, bytes.as_ptr(), bytes.len()) }.expect("the address is good");
}

/// The virtual GPU runs constructors by itself where it knows them; here the image has the kernels that a GPU needs.
#[test]
fn constructors_run_by_priority_and_destructors_in_reverse() {
    let driver = cuda::driver();
    // Where the driver looks for what PTX was made of.
    let image = driver.folder().join("images/constructors.bc");
    assemble("constructors.ll", &image);
    let image = image.display().to_string();
    child(&driver.with("TEST_IMAGE", &image), "load_and_unload");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn load_and_unload() {
    let path = std::env::var("TEST_IMAGE").expect("set by the test above");
    let bytes = std::fs::read(path).expect("the image is there");
    let images = Image::parse(&bytes).expect("llvm-as writes an image");
    let device = devices().remove(0);
    let number_at = |address| read(&*device, address, 4)[0];
    let module = device.load(&images[0], &LoadOptions::default());
    let module = module.unwrap_or_else(|error| panic!("{error}"));
    let variable = |name: &str| module.global(name).expect("the image has it").address;
    assert_eq!(number_at(variable("order")), 12);
    let number = device.alloc(4, MemoryKind::Device).expect("four bytes");
    device.fill(number, 0, 4).expect("they are there");
    write(&*device, variable("ended"), &number.0.to_le_bytes());
    let globals = module.globals();
    let names: Vec<&str> = globals.iter().map(|(name, _)| name.as_str()).collect();
    assert!(
        names.contains(&"order") && names.contains(&"ended"),
        "{names:?}"
    );
    drop(module);
    assert_eq!(number_at(number), 34);
    device.free(number).expect("it was allocated");
    assert!(device.free(number).is_err());
}

#[test]
fn copies_of_every_kind() {
    for pools in ["1", "0"] {
        let driver = cuda::driver().with("FAKE_CUDA_DEVICES", "2");
        child(&driver.with("FAKE_CUDA_POOLS", pools), "copy");
    }
}

#[test]
fn threads_and_devices_do_not_disturb_each_other() {
    let driver = cuda::driver().with("FAKE_CUDA_DEVICES", "2");
    child(&driver, "streams_of_many_threads");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn copy() {
    let devices = devices();
    let device = &*devices[0];
    let bytes: Vec<u8> = (0..100).collect();
    let kinds = [MemoryKind::Device, MemoryKind::Host, MemoryKind::Shared];
    for kind in kinds {
        let place = device.alloc(100, kind).expect("a hundred bytes");
        // The driver does not copy between ranges that overlap.
        for (to, from) in [(10, 0), (0, 10), (5, 5)] {
            write(device, place, &bytes);
            let target = place.offset(to);
            let copied = device.copy(target, place.offset(from), 90);
            copied.unwrap_or_else(|error| panic!("{kind:?}: {error}"));
            assert_eq!(read(device, target, 90), bytes[from as usize..][..90]);
        }
        if kind != MemoryKind::Device {
            // SAFETY: memory of these kinds is the host's, too.
            assert_eq!(unsafe { *(place.offset(10).0 as *const u8) }, bytes[10]);
        }
        // A small block has whole multiples of 512 bytes.
        let beyond = device.fill(place.offset(90), 1, 520);
        assert!(
            matches!(beyond, Err(Error::InvalidAccess { len: 520, .. })),
            "{beyond:?}"
        );
        device.free(place).expect("it was allocated");
    }
    let (here, there) = (
        device.alloc(8, MemoryKind::Device),
        devices[1].alloc(8, MemoryKind::Device),
    );
    let (here, there) = (here.expect("eight bytes"), there.expect("eight bytes"));
    write(&*devices[1], there, &[7; 8]);
    assert!(
        device
            .copy_from(here, &*devices[1], there, 8)
            .expect("a copy")
    );
    assert_eq!(read(device, here, 8), [7; 8]);
}

#[test]
#[ignore = "run by a test above, in a process of its own"]
fn streams_of_many_threads() {
    let devices = devices();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let devices = &devices;
            scope.spawn(move || {
                for round in 0..50 {
                    let device = &devices[(thread + round) as usize % 2];
                    let place = device.alloc(8, MemoryKind::Device).expect("eight bytes");
                    let stream = || {
                        device
                            .clone()
                            .stream(Completion::Asynchronous)
                            .expect("a stream")
                    };
                    let (one, two) = (stream(), stream());
                    let written = (thread << 32 | round).to_le_bytes();
                    one.write_copied(place, &written).expect("a copy");
                    let event = one.record().expect("an event").expect("not immediate");
                    two.wait(&event).expect("to wait");
                    let mut found = [0; 8];
                    // SAFETY: `found` outlives the stream's work.
                    unsafe { two.read(found.as_mut_ptr(), place, 8) }.expect("a copy");
                    two.synchronize().expect("no error");
                    assert_eq!(found, written);
                    assert!(event.has_happened().expect("no error"));
                    // The record itself may not count as done yet.
                    one.synchronize().expect("no error");
                    assert!(one.query().expect("no error"));
                    device.free(place).expect("it was allocated");
                }
            });
        }
    });
}

/// An event that the driver cannot query has not happened. The error has the driver's description.
#[test]
fn events_that_cannot_be_asked() {
    let unknown = cuda::driver().with(
        "FAKE_CUDA_FAIL",
        "cuEventQuery:1:CUDA_ERROR_UNKNOWN,cuEventSynchronize:1:CUDA_ERROR_UNKNOWN",
    );
    child(&unknown, "ask_an_event");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn ask_an_event() {
    let device = devices().remove(0);
    let stream = device
        .clone()
        .stream(Completion::Asynchronous)
        .expect("a stream");
    let event = stream.record().expect("an event").expect("not immediate");
    stream.synchronize().expect("no error");
    for (asked, function) in [
        (event.has_happened().map(drop), "cuEventQuery"),
        (event.synchronize(), "cuEventSynchronize"),
    ] {
        let said = asked.expect_err("the call fails").to_string();
        assert!(
            said.contains(function) && said.contains("CUDA_ERROR_UNKNOWN"),
            "{said}"
        );
    }
    assert!(event.has_happened().expect("no error"));
}
