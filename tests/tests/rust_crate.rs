//! The crate omptarget on the virtual GPU: kernels in Rust (`tests/rust_kernels`), what is checked, what goes wrong.

use std::path::PathBuf;
use std::sync::OnceLock;

use bytemuck::NoUninit;
use e2e::{dist, line_of, root};
use omptarget::{Buffer, Device, Error, FaultKind, Kernel, Module, Shape, Value};
use omptarget_build::Kernels;

/// Where kernels are built for tests and examples, so that they share `core`.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let mut folders = test.ancestors();
    let target = folders.find(|folder| folder.join("CACHEDIR.TAG").is_file());
    target
        .expect("cargo marks its folder")
        .join("omptarget-kernels")
}

/// The image of `tests/rust_kernels`.
fn image() -> &'static [u8] {
    static IMAGE: OnceLock<Vec<u8>> = OnceLock::new();
    IMAGE.get_or_init(|| {
        // SAFETY: whoever reads the variable (the plugin, loading an image) has come through here first.
        unsafe { std::env::set_var("OMPTARGET_CODEGEN", dist("libexec/omptarget-codegen")) };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let kernels = Kernels::new(root().join("tests/rust_kernels"), folder.path(), target());
        let file = kernels
            .compile("kernels")
            .unwrap_or_else(|error| panic!("{error}"));
        std::fs::read(file).expect("the image is there")
    })
}

/// The device of a family that every machine has.
fn device(family: &str) -> Device {
    let devices = omptarget::devices().expect("there are devices");
    let mut devices = devices.into_iter();
    devices
        .find(|device| device.family() == family)
        .expect("every machine has it")
}

fn module() -> Module {
    device("vgpu")
        .load(image())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn kernel(name: &str) -> Kernel {
    module()
        .kernel(name)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Asserts that an operation failed with a message that has all these parts.
#[track_caller]
fn refused<T>(result: omptarget::Result<T>, parts: &[&str]) {
    let error = result.err().expect("it fails").to_string();
    for part in parts {
        assert!(error.contains(part), "{part:?} is not in: {error}");
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Plane {
    normal: [f32; 3],
    count: u32,
    offset: f64,
}

// SAFETY: the fields have no bytes between or behind them.
unsafe impl NoUninit for Plane {}

omptarget::kernels! {
    /// Kernels with their types.
    struct Typed {
        fn by_value(small: u8, plane: Value<Plane>, large: i64, out: &mut Buffer<f64>);
        fn step(n: usize, x: &mut Buffer<u32>);
        fn nothing();
    }
}

#[test]
fn arguments_of_every_kind_arrive() {
    let device = device("vgpu");
    let kernels = Typed::load(&device, image()).unwrap();
    let mut out = device.zeroed::<f64>(5).unwrap();
    let plane = Plane {
        normal: [1.0, 2.0, 3.0],
        count: 77,
        offset: 0.125,
    };
    // SAFETY: the kernel writes five elements; the other has no parameters.
    unsafe {
        let call = kernels.by_value(200, Value(plane), -5, &mut out);
        call.launch(Shape::linear(1, 1)).unwrap();
        kernels.nothing().launch(Shape::linear(3, 64)).unwrap();
    }
    assert_eq!(out.to_vec().unwrap(), [321.0, 0.125, 77.0, 200.0, -5.0]);
}

#[test]
fn dynamic_shared_memory_has_the_launchs_size() {
    let numbers: Vec<u32> = (0..256).collect();
    let device = device("vgpu");
    let mut data = device.buffer(&numbers).unwrap();
    let mut bytes = device.zeroed::<u32>(1).unwrap();
    let reverse = kernel("reverse");
    let shape = Shape::linear(4, 64).with_dynamic_shared(64 * 4);
    // SAFETY: there is an element for each thread, here and in shared memory.
    unsafe {
        reverse
            .call((&mut data, &mut bytes))
            .unwrap()
            .launch(shape)
            .unwrap()
    };
    let expected: Vec<u32> = numbers
        .chunks(64)
        .flat_map(|block| block.iter().rev().copied())
        .collect();
    assert_eq!(data.to_vec().unwrap(), expected);
    assert_eq!(bytes.to_vec().unwrap(), [256]);
}

#[test]
fn lanes_exchange_values() {
    let device = device("vgpu");
    let x: Vec<f32> = (0..32).map(|lane| lane as f32 * 1.5).collect();
    let given = device.buffer(&x).unwrap();
    let mut out = device.zeroed::<f32>(4 * 32).unwrap();
    let shuffles = kernel("shuffles");
    // SAFETY: the buffers have as many elements as the kernel says.
    unsafe {
        shuffles
            .call((&given, &mut out))
            .unwrap()
            .launch(Shape::linear(1, 32))
            .unwrap()
    };
    let lanes = |lane: fn(usize) -> usize| (0..32).map(lane);
    let expected: Vec<f32> = lanes(|own| if own < 31 { own + 1 } else { own })
        .chain(lanes(|own| if own < 2 { own } else { own - 2 }))
        .chain(lanes(|own| own ^ 5))
        .chain(lanes(|_| 7))
        .map(|lane| x[lane])
        .collect();
    assert_eq!(out.to_vec().unwrap(), expected);
}

#[test]
fn mathematics_is_the_devices() {
    let device = device("vgpu");
    let xs: Vec<f64> = (1..100).map(|i| f64::from(i) * 0.37).collect();
    let x = device.buffer(&xs).unwrap();
    let mut out = device.zeroed::<[f64; 8]>(xs.len()).unwrap();
    let mathematics = kernel("mathematics");
    // SAFETY: both buffers have an element for each number.
    unsafe {
        let call = mathematics.call((xs.len(), &x, &mut out)).unwrap();
        call.launch(Shape::covering(xs.len(), 32)).unwrap();
    }
    for (x, found) in xs.iter().zip(out.to_vec().unwrap()) {
        let single = *x as f32;
        let single = single.sin().mul_add(2.0, single.sqrt());
        let (power, angle) = (x.powf(1.5), x.atan2(2.0));
        let expected = [
            x.sqrt(),
            x.exp(),
            x.ln(),
            x.sin(),
            power,
            angle,
            x.round(),
            single.into(),
        ];
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            // Two units in the last place are what device libraries promise; these of `f32` are the last result.
            let unit = if index == 7 { 1e-6 } else { 1e-15 };
            let error = (found - expected).abs() / expected.abs().max(1.0);
            assert!(
                error < 4.0 * unit,
                "{x}, result {index}: {found}, and not {expected}"
            );
        }
    }
}

#[test]
fn grids_have_three_dimensions() {
    let device = device("vgpu");
    let shape = Shape {
        grid: [3, 2, 2],
        block: [4, 3, 2],
        dynamic_shared: 0,
    };
    let count = 3 * 2 * 2 * 4 * 3 * 2;
    let mut out = device.zeroed::<[u32; 6]>(count).unwrap();
    let positions = kernel("positions");
    // SAFETY: there is an element for each thread.
    unsafe { positions.call((&mut out,)).unwrap().launch(shape).unwrap() };
    let mut expected = Vec::new();
    for (block, thread) in
        (0..12u32).flat_map(|block| (0..24u32).map(move |thread| (block, thread)))
    {
        let thread = [thread % 4, thread / 4 % 3, thread / 12];
        let block = [block % 3, block / 3 % 2, block / 6];
        expected.push([
            thread[0], thread[1], thread[2], block[0], block[1], block[2],
        ]);
    }
    assert_eq!(out.to_vec().unwrap(), expected);
}

/// What one stream does with a buffer is ordered with what others do, and with the host's copies.
#[test]
fn operations_on_a_buffer_keep_their_order() {
    let device = device("vgpu");
    let kernels = Typed::load(&device, image()).unwrap();
    let streams = [device.stream().unwrap(), device.stream().unwrap()];
    let n = 1000;
    let mut x = device.zeroed::<u32>(n).unwrap();
    let mut expected = 0u32;
    for round in 0..20 {
        let stream = &streams[round % 2];
        if round == 10 {
            stream.write(&mut x, &vec![3; n]).unwrap();
            expected = 3;
        }
        // SAFETY: the buffer has `n` elements.
        unsafe {
            kernels
                .step(n, &mut x)
                .launch_on(stream, Shape::covering(n, 64))
                .unwrap()
        };
        expected = expected.wrapping_mul(2).wrapping_add(1);
    }
    let download = streams[0].read(&x).unwrap();
    let forgotten = streams[1].read(&x).unwrap();
    assert_eq!(x.to_vec().unwrap(), vec![expected; n]);
    // The stream keeps the memory, and a download that nobody wants keeps its own.
    drop(x);
    drop(forgotten);
    assert_eq!(download.wait().unwrap(), vec![expected; n]);
    streams
        .iter()
        .for_each(|stream| stream.synchronize().unwrap());
}

#[test]
fn threads_share_buffers_and_streams() {
    let device = device("vgpu");
    let count = kernel("count");
    let counter = device.zeroed::<u32>(1).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let stream = device.stream().unwrap();
                for _ in 0..10 {
                    let call = count.call((&counter,)).unwrap();
                    // SAFETY: the kernel uses atomic operations alone.
                    unsafe { call.launch_on(&stream, Shape::linear(2, 32)).unwrap() };
                    stream.read(&counter).unwrap().wait().unwrap();
                }
            });
        }
    });
    assert_eq!(counter.to_vec().unwrap(), [4 * 10 * 2 * 32]);
}

#[test]
fn buffers_copy_within_their_bounds() {
    let device = device("vgpu");
    let mut buffer = device.buffer(&[1u16, 2, 3, 4, 5]).unwrap();
    buffer.write_at(1, &[20, 30]).unwrap();
    buffer.write_at(5, &[]).unwrap();
    let mut part = [0; 3];
    buffer.read_at(2, &mut part).unwrap();
    assert_eq!(part, [30, 4, 5]);
    let mut other = device.zeroed(5).unwrap();
    other.copy_from(&buffer).unwrap();
    buffer.zero().unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [0; 5]);
    assert_eq!(other.to_vec().unwrap(), [1, 20, 30, 4, 5]);
    let empty = device.buffer::<u64>(&[]).unwrap();
    assert!(empty.is_empty() && empty.to_vec().unwrap().is_empty());

    let sizes = "elements from element";
    refused(
        buffer.write(&[1; 6]),
        &["copying to the device: 6", sizes, "that has 5"],
    );
    refused(
        buffer.write_at(4, &[1, 2]),
        &["2 elements from element 4 of a buffer that has 5"],
    );
    refused(buffer.write_at(usize::MAX, &[1, 2]), &[sizes]);
    refused(buffer.read(&mut [0; 4]), &["copying to the host: 4", sizes]);
    refused(buffer.read_at(6, &mut []), &[sizes]);
    refused(
        buffer.copy_from(&device.zeroed(4).unwrap()),
        &["copying within the device: 4"],
    );
    let stream = device.stream().unwrap();
    refused(
        stream.write(&mut buffer, &[1; 4]),
        &["copying to the device: 4"],
    );
}

#[test]
fn too_much_memory_is_an_error() {
    let device = device("vgpu");
    refused(
        device.zeroed::<u64>(usize::MAX),
        &["larger than any device's memory"],
    );
    refused(
        device.zeroed::<u8>(isize::MAX as usize),
        &["allocating a buffer: out of device memory"],
    );
    // Memory is given back.
    for _ in 0..64 {
        let total = device.info().total_memory as usize;
        drop(device.zeroed::<u8>((total / 2).min(64 << 20)).unwrap());
    }
}

#[test]
fn devices_do_not_share_buffers() {
    let (gpu, host) = (device("vgpu"), device("host"));
    assert!(gpu != host && gpu == device("vgpu"));
    let mut ours = gpu.buffer(&[1u32, 2]).unwrap();
    let mut theirs = host.buffer(&[3u32, 4]).unwrap();
    let text = "is of another device than";
    refused(ours.copy_from(&theirs), &["the source of a copy", text]);
    refused(gpu.stream().unwrap().read(&theirs), &["a buffer", text]);
    let step = kernel("step");
    let shape = Shape::linear(1, 2);
    // SAFETY: the buffers have two elements.
    unsafe {
        refused(
            step.call((2usize, &mut theirs)).unwrap().launch(shape),
            &["kernel step", text],
        );
        let stream = host.stream().unwrap();
        let call = step.call((2usize, &mut ours)).unwrap();
        refused(call.launch_on(&stream, shape), &["the stream", text]);
    }
    refused(
        host.load(image()),
        &["does not run this image", "runs no kernels"],
    );
}

#[test]
fn arguments_are_checked() {
    let device = device("vgpu");
    let mut x = device.buffer(&[1u32, 2]).unwrap();
    let step = kernel("step");
    let taken = "takes 2 arguments of 8 and 8 bytes";
    refused(
        step.call((2u32, &mut x)),
        &["2 arguments of 4 and 8 bytes", taken],
    );
    refused(step.call((&mut x,)), &["1 argument of 8 bytes", taken]);
    refused(step.call(()), &["no arguments", taken]);

    omptarget::kernels! {
        struct Wrong {
            fn step(n: u16, x: &mut Buffer<u32>);
        }
    }
    omptarget::kernels! {
        struct Missing {
            fn stepp(n: usize, x: &mut Buffer<u32>);
        }
    }
    refused(
        Wrong::load(&device, image()),
        &["kernel step is called with 2 arguments of 2 and 8", taken],
    );
    refused(
        Missing::load(&device, image()),
        &["no kernel called \"stepp\"", "no_mangle"],
    );
}

#[test]
fn damaged_images_are_errors() {
    let image = image();
    let gpu = device("vgpu");
    for length in [0, 1, 3, 4, 16, 100, image.len() / 2, image.len() - 4] {
        assert!(
            gpu.load(&image[..length]).is_err(),
            "{length} bytes of an image"
        );
        assert!(omptarget::device_for(&image[..length.min(3)]).is_err());
    }
    let mut damaged = image.to_vec();
    let half = damaged.len() / 2;
    damaged[half..half + 64].fill(0xff);
    assert!(gpu.load(&damaged).is_err());
    refused(gpu.load(b"#!/bin/sh\n"), &["unknown format"]);
    assert!(gpu.load(image).is_ok());
}

#[test]
fn absurd_launches_are_errors() {
    let device = device("vgpu");
    let mut x = device.zeroed::<u32>(1).unwrap();
    let mut launch = |shape: Shape| {
        let step = kernel("step");
        // SAFETY: only the first thread would write.
        unsafe { step.call((1usize, &mut x)).unwrap().launch(shape) }
    };
    let cannot = "kernel step cannot be launched";
    for shape in [
        Shape::linear(0, 32),
        Shape::linear(1, 0),
        Shape::linear(1, 1025),
        Shape::linear(u32::MAX, 1),
        Shape::covering(usize::MAX, 1),
        Shape {
            grid: [1, 70_000, 1],
            ..Shape::linear(1, 1)
        },
        Shape {
            block: [u32::MAX; 3],
            ..Shape::linear(1, 1)
        },
        Shape::linear(1, 1).with_dynamic_shared(u32::MAX),
    ] {
        refused(launch(shape), &[cannot]);
    }
    launch(Shape::linear(1, 32)).unwrap();
    assert_eq!(x.to_vec().unwrap(), [1]);
}

#[test]
fn kernels_that_fail_are_errors() {
    let device = device("vgpu");
    let source = std::fs::read_to_string(root().join("tests/rust_kernels/src/lib.rs")).unwrap();
    let mut x = device.buffer(&[1u32, 2, 3]).unwrap();
    let (indexed, wild) = (kernel("indexed"), kernel("wild"));
    // SAFETY: the kernels trap, or access memory that the device guards.
    let (panic, access) = unsafe {
        let panic = indexed
            .call((3usize, &mut x, 3usize))
            .unwrap()
            .launch(Shape::linear(1, 1));
        let access = wild
            .call((source.as_ptr() as usize,))
            .unwrap()
            .launch(Shape::linear(1, 1));
        (panic.unwrap_err(), access.unwrap_err())
    };
    let fault = panic.fault().unwrap_or_else(|| panic!("{panic}"));
    assert_eq!(fault.kernel, "indexed");
    assert!(matches!(fault.kind, FaultKind::Trap { .. }), "{fault}");
    let location = fault.location.as_ref().unwrap_or_else(|| panic!("{fault}"));
    assert!(location.file.ends_with("lib.rs"), "{location}");
    assert_eq!(
        location.line as usize,
        line_of("tests/rust_kernels/src/lib.rs", "// the panic")
    );
    let fault = access.fault().unwrap_or_else(|| panic!("{access}"));
    assert!(
        matches!(fault.kind, FaultKind::WildAccess { write: true, .. }),
        "{fault}"
    );
    // The device goes on.
    assert_eq!(x.to_vec().unwrap(), [1, 2, 3]);
}

#[test]
fn a_streams_error_is_reported_once() {
    let device = device("vgpu");
    let mut x = device.buffer(&[1u32, 2, 3]).unwrap();
    let kernels = Typed::load(&device, image()).unwrap();
    let stream = device.stream().unwrap();
    let indexed = kernel("indexed");
    let shape = Shape::linear(1, 3);
    // SAFETY: the kernel traps.
    let enqueued = unsafe {
        indexed
            .call((3usize, &mut x, 9usize))
            .unwrap()
            .launch_on(&stream, shape)
    };
    // What comes behind the error is dropped, and so is the copy.
    let download = enqueued.and_then(|()| stream.read(&x));
    let failed = match download {
        Ok(download) => download.wait().map(drop),
        Err(error) => Err(error),
    };
    assert!(failed.unwrap_err().fault().is_some());
    stream.synchronize().unwrap();
    // SAFETY: the buffer has three elements.
    unsafe { kernels.step(3, &mut x).launch_on(&stream, shape).unwrap() };
    assert_eq!(stream.read(&x).unwrap().wait().unwrap(), [3, 5, 7]);
}

#[test]
fn a_copy_that_was_dropped_says_so() {
    let device = device("vgpu");
    let mut x = device.buffer(&[1u32, 2, 3]).unwrap();
    let stream = device.stream().unwrap();
    let indexed = kernel("indexed");
    // SAFETY: the kernel traps.
    unsafe {
        let call = indexed.call((3usize, &mut x, 9usize)).unwrap();
        call.launch_on(&stream, Shape::linear(1, 1)).unwrap();
    }
    let Ok(download) = stream.read(&x) else {
        // The kernel had failed already, and the copy was refused with its error.
        return;
    };
    assert!(stream.synchronize().unwrap_err().fault().is_some());
    assert!(matches!(download.wait(), Err(Error::Dropped)));
}

#[test]
fn kernels_with_errors_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "Cargo.toml",
        "[package]\nname = \"wrong\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n\
         [workspace]\n",
    );
    write(
        "src/lib.rs",
        "#![no_std]\npub fn kernel() -> u32 { true }\n",
    );
    let kernels = Kernels::new(folder.path(), folder.path().join("out"), target());
    let error = kernels.compile("kernels").unwrap_err().to_string();
    assert!(
        error.contains("were not compiled") && error.contains("mismatched types"),
        "{error}"
    );
}
