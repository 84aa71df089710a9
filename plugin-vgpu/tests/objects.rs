//! Tests of the loader and its device, with objects that clang compiled.

mod fixture;

use std::sync::OnceLock;

use fixture::{device, kernels, launch, line_of, load, manifest, text};
use plugin_api::{Device, DevicePtr, Error, FaultKind, Launch, MemoryKind};
use plugin_vgpu::VirtualGpu;
use proptest::prelude::*;
use vgpu_abi::artifact::{Artifact, Manifest};

fn read<T: Copy + Default>(device: &VirtualGpu, from: DevicePtr) -> plugin_api::Result<T> {
    let mut value = T::default();
    // SAFETY: `value` is as long as the copy.
    unsafe { device.read((&raw mut value).cast(), from, size_of::<T>())? };
    Ok(value)
}

#[test]
fn code_calls_and_addresses_what_it_names() {
    let device = device();
    let module = load(&device);
    let out = device.alloc(24, MemoryKind::Device).unwrap();
    launch(&*module, "sum", 64, &[out.0, 1]).unwrap();
    assert_eq!(
        read::<[i64; 3]>(&device, out).unwrap(),
        [47, i64::from(b'o'), 479]
    );
    // A second launch sees the global that the first one changed.
    launch(&*module, "sum", 1, &[out.0, 2]).unwrap();
    assert_eq!(
        read::<[i64; 3]>(&device, out).unwrap(),
        [48, i64::from(b't'), 841]
    );
}

#[test]
fn globals_are_device_memory() {
    let device = device();
    let module = load(&device);
    let counter = module.global("counter").unwrap();
    assert_eq!(
        (counter.size, read::<i32>(&device, counter.address).unwrap()),
        (4, 40)
    );
    assert_eq!(
        read::<i32>(&device, module.global("constructed").unwrap().address).unwrap(),
        7
    );
    let value = 100_i32;
    // SAFETY: `value` is four bytes long.
    unsafe {
        device
            .write(counter.address, (&raw const value).cast(), 4)
            .unwrap()
    };
    let out = device.alloc(24, MemoryKind::Device).unwrap();
    launch(&*module, "sum", 1, &[out.0, 0]).unwrap();
    assert_eq!(read::<i64>(&device, out).unwrap(), 107);
    assert!(module.global("add").is_none() && module.kernel("nothing").is_none());
    // Unloaded globals are no longer device memory.
    drop(module);
    assert!(matches!(
        read::<i32>(&device, counter.address),
        Err(Error::InvalidAccess { .. })
    ));
}

#[test]
fn faults_name_kernel_thread_and_line() {
    let device = device();
    let module = load(&device);
    let fault = |kernel, args: &[u64]| match launch(&*module, kernel, 4, args) {
        Err(Error::Fault(fault)) => *fault,
        other => panic!("{other:?}"),
    };
    let freed = device.alloc(4 << 20, MemoryKind::Device).unwrap();
    device.free(freed).unwrap();
    let wild = fault("wild", &[freed.0]);
    let location = wild.location.clone().unwrap();
    assert_eq!(
        wild.kind,
        FaultKind::WildAccess {
            address: freed.0,
            write: true
        }
    );
    assert_eq!(
        (wild.kernel.as_str(), wild.thread.unwrap().thread),
        ("wild", [2, 0, 0])
    );
    assert!(
        location.file.ends_with("kernels.c") && location.function == "store",
        "{location:?}"
    );
    assert_eq!(location.line, line_of("the innermost frame"));
    let checked = fault("checked", &[16]);
    assert_eq!(checked.location.unwrap().to_string(), "b.c:5");
    // The location is the call in the user's code, not the library function.
    let library = fault("in_library", &[freed.0, 24]);
    assert_eq!(
        (library.kind, library.location.unwrap().line),
        (
            FaultKind::WildAccess {
                address: freed.0,
                write: true
            },
            line_of("the call that faults")
        )
    );
}

#[test]
fn impossible_launches_say_which_limit() {
    let device = device();
    let module = load(&device);
    let kernel = module.kernel("sum").unwrap();
    let refused = |grid, block, dynamic_shared, args: &[u64], words: &[&str]| {
        let error = kernel
            .launch(&Launch {
                grid,
                block,
                dynamic_shared,
                cooperative: false,
                args,
            })
            .unwrap_err();
        let text = error.to_string();
        assert!(
            matches!(error, Error::InvalidLaunch { .. })
                && words.iter().all(|word| text.contains(word)),
            "{text}"
        );
    };
    let args = [0; 2];
    refused(
        [1 << 31, 1, 1],
        [1; 3],
        0,
        &args,
        &["2147483648", "2147483647", "sum"],
    );
    refused([1, 65_536, 1], [1; 3], 0, &args, &["65535"]);
    refused([0, 1, 1], [1; 3], 0, &args, &["no thread"]);
    refused(
        [1; 3],
        [129, 1, 1],
        0,
        &args,
        &["129", "launch bound", "128"],
    );
    refused(
        [1; 3],
        [1 << 31, 1 << 31, 4],
        0,
        &args,
        &["threads per block"],
    );
    refused([1; 3], [1; 3], 227 << 10, &args, &["233472", "232448"]);
    refused([1; 3], [1; 3], u32::MAX, &args, &["shared memory"]);
    refused(
        [1; 3],
        [1; 3],
        0,
        &args[1..],
        &["1 arguments of 8 bytes", "2"],
    );
}

#[test]
fn copies_stay_inside_allocations() {
    let device = device();
    let (a, b) = (
        device.alloc(100, MemoryKind::Shared).unwrap(),
        device.alloc(100, MemoryKind::Host).unwrap(),
    );
    device.fill(a, 0x5a, 100).unwrap();
    device.copy(b.offset(10), a, 90).unwrap();
    assert_eq!(read::<u16>(&device, b.offset(98)).unwrap(), 0x5a5a);
    // Shared and host memory has the same address on both sides and needs no copy.
    // SAFETY: the allocation is alive.
    assert_eq!(unsafe { (a.0 as *const u8).read() }, 0x5a);
    for error in [
        device.fill(a, 0, 101),
        device.copy(a, b, 101),
        device.fill(DevicePtr::NULL, 0, 1),
    ] {
        assert!(matches!(error, Err(Error::InvalidAccess { .. })));
    }
    assert!(matches!(
        device.alloc(1 << 30, MemoryKind::Device),
        Err(Error::OutOfMemory { .. })
    ));
}

#[test]
fn objects_the_loader_cannot_take_are_refused() {
    let device = device();
    let refused = |object: Vec<u8>, word: &str| {
        let manifest = Manifest {
            abi: vgpu_abi::VERSION,
            window: vgpu_abi::WINDOWS[0],
            warp_size: 32,
            default_threads: 128,
            ..Manifest::default()
        };
        let error = device
            .load_artifact(Artifact { manifest, object }, None)
            .err()
            .expect("refused")
            .to_string();
        assert!(error.contains(word), "{error}");
    };
    refused(
        text(
            "void missing(void); void f(void) { missing(); }",
            &["-fPIC"],
        ),
        "missing",
    );
    refused(
        text(
            "int a[4]; asm(\".pushsection .data; .long a; .popsection\");",
            &["-fPIC"],
        ),
        "32-bit",
    );
    refused(
        text("__thread int a; int f(void) { return a; }", &["-fPIC"]),
        "thread-local",
    );
    refused(
        text(
            "char a[3ul << 30]; char f(long i) { return a[i]; }",
            &["-fno-pic", "-mcmodel=large"],
        ),
        "2 GiB",
    );
    refused(Vec::new(), "malformed");
    refused(kernels()[..kernels().len() / 2].to_vec(), "malformed");
    let manifest = Manifest {
        abi: vgpu_abi::VERSION + 1,
        ..manifest()
    };
    let error = device
        .load_artifact(
            Artifact {
                manifest,
                object: kernels().to_vec(),
            },
            None,
        )
        .err()
        .unwrap();
    assert!(error.to_string().contains("interface version"));
    let mut manifest = fixture::manifest();
    manifest.kernels[0].symbol = "counter".into();
    let error = device
        .load_artifact(
            Artifact {
                manifest,
                object: kernels().to_vec(),
            },
            None,
        )
        .err()
        .unwrap();
    assert!(error.to_string().contains("is not code"), "{error}");
}

proptest! {
    /// Damaged objects are refused or they load. They never crash the loader.
    #[test]
    fn damaged_objects_do_no_harm(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        headers in any::<bool>(),
    ) {
        static DEVICE: OnceLock<VirtualGpu> = OnceLock::new();
        let mut object = kernels().to_vec();
        let len = object.len();
        for (at, value) in damage {
            // Half of the cases damage only the headers. The section table is at the end.
            let at = if headers {
                [at.index(64), len - 1 - at.index(2048)][usize::from(value & 1)]
            } else {
                at.index(len)
            };
            object[at] = value;
        }
        let manifest = Manifest { abi: vgpu_abi::VERSION,
        window: vgpu_abi::WINDOWS[0],
        warp_size: 32,
        default_threads: 128, ..Manifest::default() };
        drop(DEVICE.get_or_init(device).load_artifact(Artifact { manifest, object }, None));
    }
}
