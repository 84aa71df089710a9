//! `plugin-cuda` alone on the driver of `tests/fake-cuda`: cases that programs of clang's do not cause.

use std::sync::Arc;

use device_image::Image;
use e2e::cuda;
use e2e::fake_driver::FakeDriver;
use e2e::ir::assemble;
use plugin_api::{Completion, Device, DevicePtr, Error, LoadOptions, MemoryKind, Stream};

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

fn stream(device: &Arc<dyn Device>) -> Box<dyn Stream> {
    let device = device.clone();
    device.stream(Completion::Asynchronous).expect("a stream")
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
                    let (one, two) = (stream(device), stream(device));
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

/// Such copies go through pinned memory, and must have gone on before anything behind them needs the bytes.
#[test]
fn small_copies_to_the_host_arrive_before_what_follows() {
    child(&cuda::driver(), "copy_to_the_host_and_on");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn copy_to_the_host_and_on() {
    let device = devices().remove(0);
    let stream = stream(&device);
    let (from, to) = (
        device.alloc(8, MemoryKind::Device).expect("eight bytes"),
        device.alloc(8, MemoryKind::Device).expect("eight bytes"),
    );
    let pinned = device.alloc(8, MemoryKind::Host).expect("eight bytes");
    write(&*device, from, &[7; 8]);
    let mut host = [0u8; 8];
    // SAFETY: both places are writable, and outlive the stream's work.
    unsafe {
        stream.read(host.as_mut_ptr(), from, 8).expect("a copy");
        stream.write(to, host.as_ptr(), 8).expect("a copy");
        stream.read(pinned.0 as *mut u8, to, 8).expect("a copy");
    }
    stream.synchronize().expect("no error");
    assert_eq!(host, [7; 8]);
    // SAFETY: pinned memory is the host's.
    assert_eq!(unsafe { *(pinned.0 as *const [u8; 8]) }, [7; 8]);

    write(&*device, from, &[9; 8]);
    let mut host = [0u8; 8];
    // SAFETY: as above.
    unsafe { stream.read(host.as_mut_ptr(), from, 8) }.expect("a copy");
    let event = stream.record().expect("an event").expect("not immediate");
    event.synchronize().expect("no error");
    assert_eq!(host, [9; 8]);
    for place in [from, to, pinned] {
        device.free(place).expect("it was allocated");
    }
}

/// A position is an event of the driver's only if somebody asks who does not know.
#[test]
fn positions_are_recorded_when_asked_about() {
    child(&cuda::driver(), "ask_about_positions");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn ask_about_positions() {
    let device = devices().remove(0);
    let position = |stream: &dyn Stream| {
        let position = stream.position().expect("a position");
        position.expect("not immediate")
    };
    let (one, two) = (stream(&device), stream(&device));
    let place = device.alloc(8, MemoryKind::Device).expect("eight bytes");
    one.fill(place, 5, 8).expect("they are there");
    let filled = position(&*one);
    assert!(!filled.is_known_to_have_happened().expect("no error"));
    let mut found = [0; 8];
    two.wait(&filled).expect("to wait");
    // SAFETY: `found` outlives the stream's work.
    unsafe { two.read(found.as_mut_ptr(), place, 8) }.expect("a copy");
    let read = position(&*two);
    // What another stream copies back must have arrived.
    one.wait(&read).expect("to wait");
    assert_eq!(found, [5; 8]);
    one.synchronize().expect("no error");
    assert!(filled.is_known_to_have_happened().expect("no error"));
    // A stream that is gone has passed all its positions.
    two.fill(place, 6, 8).expect("they are there");
    let last = position(&*two);
    drop(two);
    last.synchronize().expect("no error");
    assert!(last.has_happened().expect("no error"));
    device.free(place).expect("it was allocated");
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
    let stream = stream(&device);
    let place = device.alloc(8, MemoryKind::Device).expect("eight bytes");
    stream.fill(place, 1, 8).expect("they are there");
    let event = stream.record().expect("an event").expect("not immediate");
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
    stream.synchronize().expect("no error");
    assert!(event.has_happened().expect("no error"));
    device.free(place).expect("it was allocated");
}
