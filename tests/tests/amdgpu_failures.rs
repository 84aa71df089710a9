//! Calls of the HSA runtime fail, one in each run of `plugin-amdgpu`. Nothing hangs, nothing is left behind, and no
//! rule of the runtime is broken (`tests/fake-hsa` checks them).
//!
//! Which calls fail comes from a seed. `FAILURES` says how many; `scripts/amd-suite --failures` has 1,000.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use device_image::Image;
use e2e::fake_driver::FakeDriver;
use e2e::{Outcome, hsa, in_parallel};
use plugin_api::{
    Completion, Device, DevicePtr, Error, Launch, LoadOptions, MemoryKind, Result, Stream,
};

/// Failing calls in a run of the tests.
const SAMPLE: usize = 32;
/// What a call may give.
const ERRORS: [&str; 5] = [
    "HSA_STATUS_ERROR",
    "HSA_STATUS_ERROR_OUT_OF_RESOURCES",
    "HSA_STATUS_ERROR_INVALID_ARGUMENT",
    "HSA_STATUS_ERROR_EXCEPTION",
    "HSA_STATUS_ERROR_FATAL",
];
/// Calls that release something: what they fail to release is left.
const RELEASING: [&str; 7] = [
    "hsa_amd_memory_pool_free",
    "hsa_amd_memory_unlock",
    "hsa_code_object_reader_destroy",
    "hsa_executable_destroy",
    "hsa_queue_destroy",
    "hsa_shut_down",
    "hsa_signal_destroy",
];
/// What the child says where it has lost a device, whose objects stay as they are.
const LOST: &str = "a device is lost";
/// Bytes that need a lock of the host's memory, and of a fill that the host does.
const LARGE: usize = 100_000;

/// Memory of a device until the end of a scope.
struct Place<'a>(&'a dyn Device, DevicePtr);

impl<'a> Place<'a> {
    fn new(device: &'a dyn Device, kind: MemoryKind) -> Result<Place<'a>> {
        Ok(Place(device, device.alloc(LARGE as u64, kind)?))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        told(self.0.free(self.1));
    }
}

/// Tells of an error, of which there may be any number.
fn told(result: Result<()>) {
    if let Err(error) = result {
        println!("{error}");
        if matches!(error, Error::Lost { .. } | Error::Fault(_)) {
            println!("{LOST}");
        }
    }
}

fn stream(device: &Arc<dyn Device>) -> Result<Box<dyn Stream>> {
    device.clone().stream(Completion::Asynchronous)
}

/// Copies and fills of every kind. What was copied is right unless an error was told.
fn copies(device: &dyn Device) -> Result<()> {
    let bytes: Vec<u8> = (0..LARGE).map(|number| number as u8).collect();
    let mut found = vec![0; LARGE];
    for kind in [MemoryKind::Device, MemoryKind::Host] {
        let (one, two) = (Place::new(device, kind)?, Place::new(device, kind)?);
        for length in [100, LARGE] {
            // SAFETY: both have that many bytes.
            unsafe { device.write(one.1, bytes.as_ptr(), length) }?;
            device.fill(two.1, 3, length)?;
            device.copy(two.1, one.1, length)?;
            // SAFETY: as above.
            unsafe { device.read(found.as_mut_ptr(), two.1, length) }?;
            assert_eq!(found[..length], bytes[..length]);
        }
    }
    Ok(())
}

/// Streams that wait for each other.
fn streams(device: &Arc<dyn Device>) -> Result<()> {
    let place = Place::new(&**device, MemoryKind::Device)?;
    let bytes = vec![7; LARGE];
    let mut found = vec![0; LARGE];
    let (one, two) = (stream(device)?, stream(device)?);
    let outcome = (|| {
        one.write_copied(place.1, &bytes[..64])?;
        // SAFETY: the streams have ended their work before the bytes go.
        unsafe { one.write(place.1, bytes.as_ptr(), LARGE) }?;
        if let Some(event) = one.record()? {
            two.wait(&event)?;
        }
        // SAFETY: as above.
        unsafe { two.read(found.as_mut_ptr(), place.1, LARGE) }?;
        two.call(Box::new(|| ()))
    })();
    let (first, second) = (one.synchronize(), two.synchronize());
    outcome.and(first).and(second)
}

/// A module's services, and launches in a row.
fn kernels(device: &Arc<dyn Device>) -> Result<()> {
    let variable = |name| std::env::var(name).expect("set by the test");
    let bytes = std::fs::read(variable("TEST_IMAGE")).expect("the image is there");
    let images = Image::parse(&bytes).expect("an image");
    let module = device.load(&images[0], &LoadOptions::default())?;
    let kernel = module.kernel(&variable("TEST_KERNEL"));
    let kernel = kernel.ok_or_else(|| Error::Load("no kernel".into()))?;
    let result = Place::new(&**device, MemoryKind::Device)?;
    let stream = stream(device)?;
    let outcome = (0..3).try_for_each(|_| {
        let launch = Launch {
            grid: [1, 1, 1],
            block: [64, 1, 1],
            dynamic_shared: 0,
            cooperative: false,
            args: &[0, result.1.0],
        };
        stream.launch(&kernel, &launch)
    });
    outcome.and(stream.synchronize())
}

/// A copy from one device to the other.
fn peers(devices: &[Arc<dyn Device>]) -> Result<()> {
    let [one, two] = devices else { return Ok(()) };
    let from = Place::new(&**one, MemoryKind::Device)?;
    let to = Place::new(&**two, MemoryKind::Device)?;
    two.copy_from(to.1, &**one, from.1, LARGE).map(drop)
}

#[test]
#[ignore = "run by the test below, in a process of its own"]
fn work() {
    let found = match plugin_amdgpu::plugin(true) {
        Ok(found) => found,
        Err(why) => return println!("{why}"),
    };
    let devices = found.plugin.devices();
    drop(found);
    told(copies(&*devices[0]));
    told(streams(&devices[0]));
    told(kernels(&devices[0]));
    told(peers(&devices));
}

/// What is wrong with a run in which `call` failed.
fn wrong(call: &str, outcome: &Outcome) -> Option<&'static str> {
    let Outcome {
        code,
        stdout,
        stderr,
    } = outcome;
    if *code != 0 || !stdout.contains("1 passed") {
        return Some("it does not end in order");
    }
    let told = |line: &&str| line.contains("fake HSA runtime: ");
    let (left, broken): (Vec<_>, Vec<_>) = stderr
        .lines()
        .filter(told)
        .partition(|line| line.contains("leak: "));
    if !broken.is_empty() {
        return Some("it breaks a rule");
    }
    let may_stay = RELEASING.contains(&call) || stdout.contains(LOST);
    (!left.is_empty() && !may_stay).then_some("something is left")
}

/// The next number of a sequence (SplitMix64).
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as usize
}

/// Runs the work with these settings.
fn run(runtime: &FakeDriver, settings: &[(&str, &str)]) -> Outcome {
    let test = std::env::current_exe().expect("the test's own path");
    let arguments = ["--exact", "work", "--ignored", "--nocapture"];
    runtime.run_with(&test, &arguments, settings)
}

/// The calls of a run without failures, with their numbers.
fn calls(runtime: &FakeDriver) -> Vec<(String, String)> {
    let log = runtime.folder().join("calls").display().to_string();
    let outcome = run(runtime, &[("FAKE_HSA_LOG", &log)]);
    assert_eq!(wrong("", &outcome), None, "{outcome:?}");
    let calls = std::fs::read_to_string(&log).expect("the list of calls");
    let split = |line: &str| {
        let (name, number) = line.split_once(' ').expect("name and number");
        (name.to_owned(), number.to_owned())
    };
    calls.lines().map(split).collect()
}

#[test]
fn failing_calls_leave_nothing() {
    let (_program, runtime) = hsa::with_kernel();
    let runtime = runtime
        .with("FAKE_HSA_AGENTS", "gfx90a,gfx90a")
        .with("FAKE_HSA_LEAKS", "1")
        .with("OMPTARGET_VGPU_SMS", "1");
    let calls = calls(&runtime);
    assert!(calls.len() > 200, "{calls:?}");
    let count = std::env::var("FAILURES").map_or(SAMPLE, |text| text.parse().expect("a number"));
    let mut state = 0;
    let cases: Vec<_> = (0..count)
        .map(|_| {
            let call = &calls[next(&mut state) % calls.len()];
            (call, ERRORS[next(&mut state) % ERRORS.len()])
        })
        .collect();
    let lost = AtomicUsize::new(0);
    in_parallel(&cases, |((call, number), error)| {
        let failure = format!("{call}:{number}:{error}");
        let outcome = run(&runtime, &[("FAKE_HSA_FAIL", &failure)]);
        assert_eq!(wrong(call, &outcome), None, "{failure}: {outcome:?}");
        lost.fetch_add(
            usize::from(outcome.stdout.contains(LOST)),
            Ordering::Relaxed,
        );
    });
    let lost = lost.into_inner();
    println!("{count} failing calls; a device was lost in {lost}");
    assert!(lost * 4 <= count, "{lost} of {count} lost a device");
}
