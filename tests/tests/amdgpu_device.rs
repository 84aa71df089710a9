//! `plugin-amdgpu` alone on the runtime of `tests/fake-hsa`: copies, streams, events, limits, and what is left behind.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use device_image::Image;
use e2e::fake_driver::FakeDriver;
use e2e::{Build, Mode, cuda, hsa};
use plugin_api::{
    Completion, Device, DevicePtr, Error, Event, Kernel, Launch, LoadOptions, MemoryKind, Stream,
};

/// The test `name` of this file in a process of its own, because the runtime is found when a process starts. Nothing
/// may be left when its devices are gone.
fn child(runtime: FakeDriver, name: &str) {
    let test = std::env::current_exe().expect("the test's own path");
    let runtime = runtime.with("FAKE_HSA_LEAKS", "1");
    let outcome = runtime.run(&test, &["--exact", name, "--ignored", "--nocapture"]);
    let said = outcome.passed(name);
    assert!(said.contains("1 passed"), "{said}");
}

/// The devices, in such a process.
fn devices() -> Vec<Arc<dyn Device>> {
    let found = plugin_amdgpu::plugin(true).unwrap_or_else(|why| panic!("{why}"));
    found.plugin.devices()
}

fn stream(device: &Arc<dyn Device>) -> Box<dyn Stream> {
    let stream = device.clone().stream(Completion::Asynchronous);
    stream.expect("a stream")
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

#[test]
fn copies_of_every_kind() {
    let two = hsa::runtime().with("FAKE_HSA_AGENTS", "gfx90a,gfx1100");
    child(two, "copy");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn copy() {
    let devices = devices();
    let device = &*devices[0];
    let bytes: Vec<u8> = (0..100_000u32).map(|number| number as u8).collect();
    for kind in [MemoryKind::Device, MemoryKind::Host, MemoryKind::Shared] {
        let place = device.alloc(100_000, kind).expect("memory");
        // The runtime does not copy between ranges that overlap.
        for (to, from) in [(10, 0), (0, 10), (5, 5)] {
            write(device, place, &bytes);
            let copied = device.copy(place.offset(to), place.offset(from), 90_000);
            copied.unwrap_or_else(|error| panic!("{kind:?}: {error}"));
            let found = read(device, place.offset(to), 90_000);
            assert_eq!(found, bytes[from as usize..][..90_000]);
        }
        // Ends that are no whole words; a small range and one that the host's thread fills.
        for length in [7, 70_002] {
            write(device, place, &bytes);
            device.fill(place.offset(3), 0xee, length).expect("it fits");
            let found = read(device, place, 100_000);
            assert!(found[3..3 + length].iter().all(|byte| *byte == 0xee));
            assert_eq!(
                (&found[..3], &found[3 + length..]),
                (&bytes[..3], &bytes[3 + length..])
            );
        }
        let beyond = device.fill(place.offset(99_990), 1, 20);
        assert!(
            matches!(beyond, Err(Error::InvalidAccess { len: 20, .. })),
            "{beyond:?}"
        );
        device.free(place).expect("it was allocated");
        assert!(matches!(device.free(place), Err(Error::InvalidFree(_))));
    }
    let here = device.alloc(8, MemoryKind::Device).expect("eight bytes");
    let there = devices[1].alloc(8, MemoryKind::Device);
    let there = there.expect("eight bytes");
    write(&*devices[1], there, &[7; 8]);
    for _ in 0..2 {
        let copied = device.copy_from(here, &*devices[1], there, 8);
        assert!(copied.expect("a copy"));
    }
    assert_eq!(read(device, here, 8), [7; 8]);
    device.free(here).expect("it was allocated");
    devices[1].free(there).expect("it was allocated");
}

#[test]
fn memory_of_the_host_that_cannot_be_locked() {
    let runtime = hsa::runtime().with(
        "FAKE_HSA_FAIL",
        "hsa_amd_memory_lock:1+:HSA_STATUS_ERROR_OUT_OF_RESOURCES",
    );
    child(runtime, "copy_without_locks");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn copy_without_locks() {
    let device = devices().remove(0);
    let bytes: Vec<u8> = (0..100_000u32).map(|number| number as u8).collect();
    let place = device.alloc(100_000, MemoryKind::Device).expect("memory");
    write(&*device, place, &bytes);
    let pinned = device.alloc(100_000, MemoryKind::Host).expect("memory");
    let host = pinned.0 as *mut u8;
    // SAFETY: memory of the host with that many bytes.
    let found = unsafe {
        device.read(host, place, 100_000).expect("it is pinned");
        std::slice::from_raw_parts(host, 100_000)
    };
    assert_eq!(found, bytes);
    let mut own = vec![0; 8];
    // SAFETY: writable for its length.
    let refused = unsafe { device.read(own.as_mut_ptr(), place, 8) }.expect_err("no lock");
    assert!(
        refused.to_string().contains("cannot be pinned"),
        "{refused}"
    );
    device.free(place).expect("it was allocated");
    device.free(pinned).expect("it was allocated");
}

#[test]
fn threads_and_devices_do_not_disturb_each_other() {
    let two = hsa::runtime().with("FAKE_HSA_AGENTS", "gfx90a,gfx1100");
    child(two, "streams_of_many_threads");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn streams_of_many_threads() {
    let devices = devices();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let devices = &devices;
            scope.spawn(move || {
                for round in 0..25 {
                    let device = &devices[(thread + round) as usize % 2];
                    let place = device.alloc(8, MemoryKind::Device).expect("eight bytes");
                    let (one, two) = (stream(device), stream(device));
                    let written = (thread << 32 | round).to_le_bytes();
                    one.write_copied(place, &written).expect("a copy");
                    if let Some(event) = one.record().expect("an event") {
                        two.wait(&event).expect("to wait");
                    }
                    let mut found = [0; 8];
                    // SAFETY: `found` outlives the stream's work.
                    unsafe { two.read(found.as_mut_ptr(), place, 8) }.expect("a copy");
                    two.synchronize().expect("no error");
                    assert_eq!(found, written);
                    one.synchronize().expect("no error");
                    assert!(one.query().expect("no error"));
                    device.free(place).expect("it was allocated");
                }
            });
        }
    });
}

#[test]
fn streams_wait_for_many_events() {
    child(hsa::runtime(), "wait_for_many");
    let two = hsa::runtime().with("FAKE_HSA_AGENTS", "gfx90a,gfx90a");
    child(two, "wait_for_another_device");
}

/// More streams than queues, more events than a packet takes, and a stream that does nothing but wait.
#[test]
#[ignore = "run by the test above, in a process of its own"]
fn wait_for_many() {
    let device = devices().remove(0);
    let count = Arc::new(AtomicU32::new(0));
    let (go, held) = std::sync::mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(held));
    let first = stream(&device);
    first
        .call(Box::new(move || {
            let held = held.lock().expect("no panic");
            held.recv().expect("the word to go");
        }))
        .expect("a call");
    let gate = first.record().expect("an event").expect("it is held");
    let others: Vec<_> = (0..12).map(|_| stream(&device)).collect();
    let events: Vec<Arc<dyn Event>> = others
        .iter()
        .map(|other| {
            other.wait(&gate).expect("to wait");
            let count = count.clone();
            let add = move || {
                count.fetch_add(1, Ordering::Relaxed);
            };
            other.call(Box::new(add)).expect("a call");
            other.record().expect("an event").expect("it is held")
        })
        .collect();
    let last = stream(&device);
    for event in &events {
        last.wait(event).expect("to wait");
    }
    let all = last.record().expect("an event").expect("it is held");
    assert!(!all.has_happened().expect("no error") && !last.query().expect("no error"));
    assert_eq!(count.load(Ordering::Relaxed), 0);
    go.send(()).expect("the stream waits");
    all.synchronize().expect("no error");
    assert_eq!(count.load(Ordering::Relaxed), 12);
    last.synchronize().expect("no error");
    assert!(last.query().expect("no error"));
    assert!(last.record().expect("no error").is_none());
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn wait_for_another_device() {
    let devices = devices();
    let (one, two) = (stream(&devices[0]), stream(&devices[1]));
    let place = devices[0].alloc(4, MemoryKind::Host).expect("memory");
    one.fill(place, 5, 4).expect("it fits");
    if let Some(event) = one.record().expect("an event") {
        two.wait(&event).expect("to wait");
    }
    let target = devices[1].alloc(4, MemoryKind::Device).expect("memory");
    // SAFETY: memory of the host, which lives until the copy is complete.
    unsafe { two.write(target, place.0 as *const u8, 4) }.expect("a copy");
    two.synchronize().expect("no error");
    one.synchronize().expect("no error");
    devices[1].free(target).expect("it was allocated");
    devices[0].free(place).expect("it was allocated");
}

/// The image of such a program on a device, and its kernel.
fn load(device: &dyn Device) -> (Arc<dyn plugin_api::Module>, Arc<dyn Kernel>) {
    let path = std::env::var("TEST_IMAGE").expect("set by the test");
    let bytes = std::fs::read(path).expect("the image is there");
    let images = Image::parse(&bytes).expect("an image");
    let module = device.load(&images[0], &LoadOptions::default());
    let module = module.unwrap_or_else(|error| panic!("{error}"));
    let globals = module.globals();
    let names = globals.iter().map(|(name, _)| name);
    assert!(names.clone().any(|name| name == "__omptarget_heap"));
    let path = std::env::var("TEST_KERNEL").expect("set by the test");
    let kernel = module.kernel(&path).unwrap_or_else(|| panic!("{path}"));
    assert!(module.kernel("no_such_kernel").is_none());
    assert!(module.global("no_such_variable").is_none());
    (module, kernel)
}

#[test]
fn rings_are_reused() {
    let (_program, runtime) = hsa::with_kernel();
    child(runtime.with("FAKE_HSA_QUEUE_SIZE", "64"), "launch_often");
}

/// More launches than a ring has places, from several threads, and their arguments stay apart.
#[test]
#[ignore = "run by the test above, in a process of its own"]
fn launch_often() {
    let device = devices().remove(0);
    let (_module, kernel) = load(&*device);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            let (device, kernel) = (&device, &kernel);
            scope.spawn(move || {
                let results = device.alloc(8 * 20, MemoryKind::Device).expect("memory");
                let stream = stream(device);
                stream.fill(results, 0, 8 * 20).expect("it fits");
                for number in 0..20 {
                    let launch = Launch {
                        grid: [1, 1, 1],
                        block: [64, 1, 1],
                        dynamic_shared: 0,
                        cooperative: false,
                        args: &[0, results.offset(8 * number).0],
                    };
                    stream.launch(kernel, &launch).expect("a launch");
                }
                stream.synchronize().expect("no error");
                let found = read(&**device, results, 8 * 20);
                let sums = found.as_chunks::<8>().0.iter();
                let sums: Vec<u64> = sums.map(|word| u64::from_le_bytes(*word)).collect();
                assert_eq!(sums, [512; 20]);
                device.free(results).expect("it was allocated");
            });
        }
    });
}

#[test]
fn limits_are_messages() {
    let (_program, runtime) = hsa::with_kernel();
    child(runtime, "exceed_limits");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn exceed_limits() {
    let device = devices().remove(0);
    let (_module, kernel) = load(&*device);
    let refused = |grid, block, dynamic_shared, args: &[u64]| {
        let launch = Launch {
            grid,
            block,
            dynamic_shared,
            cooperative: false,
            args,
        };
        let error = kernel.launch(&launch).expect_err("over a limit");
        assert!(matches!(error, Error::InvalidLaunch { .. }), "{error}");
        error.to_string()
    };
    let args = [0, 0];
    for (said, words) in [
        (refused([0, 1, 1], [64, 1, 1], 0, &args), "no thread"),
        (refused([u32::MAX, 1, 1], [64, 1, 1], 0, &args), "limit is"),
        (refused([1, u32::MAX, 1], [64, 2, 1], 0, &args), "limit is"),
        (
            refused([1, 1, 1], [2048, 1, 1], 0, &args),
            "threads per block",
        ),
        (
            refused([1, 1, 1], [64, 1, 1], 1 << 20, &args),
            "shared memory",
        ),
        (refused([1, 1, 1], [64, 1, 1], 0, &args[..1]), "arguments"),
    ] {
        assert!(said.contains(words), "{said}");
    }
    let most = device.info().total_memory;
    let error = device.alloc(most * 2, MemoryKind::Device);
    let Err(Error::OutOfMemory {
        requested, total, ..
    }) = error
    else {
        panic!("{error:?}");
    };
    assert_eq!((requested, total), (most * 2, most));
    let nothing = device.alloc(0, MemoryKind::Device).expect("an address");
    device.free(nothing).expect("it was allocated");
    let foreign = device.foreign().expect("no error").expect("HSA");
    assert_eq!((foreign.runtime, foreign.name), (7, c"hsa"));
    let stream = stream(&device);
    assert!(stream.foreign().is_some());
    // Others may have added packets to the queue.
    stream.synchronize().expect("no error");
}

/// One program with images for both makers, on machines with one maker's GPUs and on one with both.
#[test]
fn each_maker_takes_its_own_image() {
    let source = ["tests/programs/both_makers.c"];
    let build = Build::new(&source).flags(&["--offload-arch=gfx1100"]);
    let program = build.compile(Mode::Offload("-O2"));
    let amd = hsa::runtime_for(&program).with("FAKE_HSA_AGENTS", "gfx1100");
    assert_eq!(
        amd.run(&program.path, &[]).passed("AMD"),
        "PASS on 1 devices\n"
    );
    let nvidia = cuda::driver_for(&program);
    assert_eq!(
        nvidia.run(&program.path, &[]).passed("NVIDIA"),
        "PASS on 1 devices\n"
    );
    let both = hsa::beside_cuda_for(&program).with("FAKE_HSA_AGENTS", "gfx1100");
    assert_eq!(
        both.run(&program.path, &[]).passed("both makers"),
        "PASS on 2 devices\n"
    );
}

/// Debian's runtime on a machine without a GPU: no device, and no word of that unless it is asked for.
#[test]
fn the_real_library_says_nothing() {
    if Path::new("/dev/kfd").exists() {
        return;
    }
    let source = ["tests/programs/both_makers.c"];
    let program = Build::new(&source).compile(Mode::Amd("gfx90a", "-O2"));
    let outcome = program.run_with(&[], &[("OMP_TARGET_OFFLOAD", "MANDATORY")]);
    assert_eq!(outcome.passed("the virtual GPU"), "PASS on 1 devices\n");
    // Not even that it was loaded: that takes more time than a short program.
    let loads = |devices: &[(&str, &str)]| {
        let told = program.run_with(&[], &[&[("LD_DEBUG", "files")], devices].concat());
        told.stderr.contains("libhsa-runtime64")
    };
    assert!(!loads(&[]));
    assert!(loads(&[("OMPTARGET_DEVICES", "amdgpu,vgpu")]));
    let told = program.run_with(&[], &[("LIBOMPTARGET_DEBUG", "1")]).stderr;
    let lines: Vec<_> = told
        .lines()
        .filter(|line| line.contains("amdgpu: "))
        .collect();
    assert!(
        lines.len() == 1 && lines[0].contains("no AMD GPU"),
        "{told}"
    );
}

#[test]
fn interop_objects_are_the_runtimes() {
    let source = ["tests/programs/interop_hsa.c"];
    let program = Build::new(&source).compile(Mode::Amd("gfx90a", "-O2"));
    let outcome = hsa::runtime_for(&program).run(&program.path, &[]);
    assert_eq!(outcome.passed("interop_hsa.c"), "PASS\n");
}

/// A buffer with room for one of four outputs.
#[test]
fn output_without_room_is_counted() {
    let (program, runtime) = hsa::with_kernel();
    let runtime = runtime.with("OMPTARGET_AMDGPU_PRINTF_BUFFER", "100");
    let outcome = runtime.run(&program.path, &[]);
    assert!(
        outcome.code == 0 && outcome.stdout.ends_with("PASS\n"),
        "{outcome:?}"
    );
    assert_eq!(outcome.stdout.matches("iteration ").count(), 1);
    let warning = "3 outputs of kernels had no room (OMPTARGET_AMDGPU_PRINTF_BUFFER is 104 bytes)";
    assert!(outcome.stderr.contains(warning), "{outcome:?}");
}
