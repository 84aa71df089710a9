//! The crate omptarget on an AMD GPU: the plugin on the HSA runtime of `tests/fake-hsa`, with kernels in LLVM assembly.

use e2e::hsa;
use e2e::ir::assemble;
use omptarget::{Buffer, Error, Shape};

omptarget::kernels! {
    /// Kernels of `tests/ir/hsa_rules.ll`.
    struct Rules {
        fn add(to: &mut Buffer<u32>, value: u32, count: u64);
        fn trap();
    }
}

/// Runs the test below in a process of its own, because the runtime is found when a process starts.
#[test]
fn kernels_run_on_an_amd_gpu() {
    let runtime = hsa::runtime().with("FAKE_HSA_SERVICES", "");
    let image = runtime.images().join("rules.bc");
    assemble("hsa_rules.ll", &image);
    let runtime = runtime.with("TEST_IMAGE", &image.display().to_string());
    let test = std::env::current_exe().expect("the test's own path");
    let outcome = runtime.run(
        &test,
        &["--exact", "on_an_amd_gpu", "--ignored", "--nocapture"],
    );
    let said = outcome.passed("on_an_amd_gpu");
    assert!(said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "run by the test above, in a process of its own"]
fn on_an_amd_gpu() {
    let image = std::env::var_os("TEST_IMAGE").expect("the test above sets it");
    let image = std::fs::read(image).unwrap();
    let device = omptarget::device_for(&image).unwrap();
    assert_eq!(device.family(), "amdgpu");
    let kernels = Rules::load(&device, &image).unwrap();
    let n = 1000;
    let mut numbers = device.buffer(&vec![5u32; n]).unwrap();
    let shape = Shape::covering(n, 64);
    let streams = [device.stream().unwrap(), device.stream().unwrap()];
    for round in 0..10 {
        let call = kernels.add(&mut numbers, round, n as u64);
        // SAFETY: the buffer has `n` elements.
        unsafe { call.launch_on(&streams[round as usize % 2], shape).unwrap() };
    }
    let download = streams[0].read(&numbers).unwrap();
    assert_eq!(numbers.to_vec().unwrap(), vec![5 + 45; n]);
    assert_eq!(download.wait().unwrap(), vec![5 + 45; n]);

    let wrong = device.load(&image).unwrap().kernel("add").unwrap();
    let refused = wrong.call((1u32, &numbers)).err().expect("it takes three");
    assert!(matches!(refused, Error::Arguments { .. }), "{refused}");
    // SAFETY: only the first element is written.
    let refused = unsafe {
        kernels
            .add(&mut numbers, 1, 1)
            .launch(Shape::linear(1, 4096))
    };
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("kernel add cannot be launched"),
        "{refused}"
    );
    // SAFETY: the kernel traps.
    let error = unsafe { kernels.trap().launch(Shape::linear(1, 64)) }.unwrap_err();
    let fault = error.fault().unwrap_or_else(|| panic!("{error}"));
    // The runtime tells of a queue's end, and of several kernels that may be the reason.
    assert!(fault.kernel.contains("trap"), "{fault}");
}
