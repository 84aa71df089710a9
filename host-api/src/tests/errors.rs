//! docs/errors.md lists every error by its characteristic words. Every error that can have a hint has one.

use device_image::ImageError;
use plugin_api::{DevicePtr, Error as Device, FaultKind, KernelFault, ThreadId};

use crate::report::error::Error;

const DOCUMENTATION: &str = include_str!("../../../docs/errors.md");

/// The words by which docs/errors.md lists an error. A new error makes the `match` incomplete and needs a sample below.
fn words(error: &Error) -> &'static str {
    match error {
        Error::Forked => "this process was forked from one that had used its devices; ",
        Error::NoSuchDevice { .. } => " device(s) are available",
        Error::Mandatory { .. } => "OMP_TARGET_OFFLOAD=MANDATORY, but ",
        Error::NoImage { .. } => "no device image of this program can run on device ",
        Error::UnknownRegion { .. } => " is in no registered device image",
        Error::MissingSymbol { .. } => "the device image has no kernel called ",
        Error::Dimensions { .. } => "its dimensions do not fit its size",
        Error::NotPresent { .. } => {
            " is not present on the device, but its clause has the 'present' modifier"
        }
        Error::Constant { .. } => {
            " cannot be copied to the host: it is a constant of the program, which may only be read"
        }
        Error::Extends { .. } => ", which is mapped already, without lying inside it",
        Error::Launch { .. } => " cannot be launched: ",
        Error::Routine(_) => "a pointer is null",
        Error::Load(source)
        | Error::Item { source, .. }
        | Error::Kernel { source, .. }
        | Error::Device { source, .. } => device_words(source),
    }
}

fn device_words(error: &Device) -> &'static str {
    match error {
        Device::OutOfMemory { .. } => "out of device memory: ",
        Device::InvalidFree(_) => " is not an allocated device address (freed twice?)",
        Device::InvalidAccess { .. } => " leaves every allocation",
        Device::InvalidLaunch { .. } => " cannot be launched: ",
        Device::Image(ImageError::Truncated { .. }) => "device image is truncated: ",
        Device::Image(ImageError::Malformed(_)) => "device image is malformed: ",
        Device::Image(ImageError::Unknown(_)) => " has an unknown format",
        Device::Load(_) => "device image cannot be loaded: ",
        Device::System { .. } => "(os error ",
        Device::Driver { .. } => " failed: CUDA_ERROR_",
        Device::Lost { .. } => "the device is lost since an earlier failure: ",
        Device::Fault(fault) => match fault.kind {
            FaultKind::Trap { .. } => "trap: ",
            FaultKind::WildAccess { .. } => ", which is not mapped on the device",
            FaultKind::WildPage { .. } => "access to the page at ",
            FaultKind::IllegalAddress => "access to an address that is not mapped on the device",
            FaultKind::Arithmetic => "integer division by zero or overflow",
            FaultKind::StackOverflow => "stack overflow ",
            FaultKind::Deadlock => "deadlock",
            FaultKind::Other(_) => "no progress for ",
        },
    }
}

fn fault(kind: FaultKind) -> Device {
    let thread = Some(ThreadId {
        block: [0; 3],
        grid: [1; 3],
        thread: [0; 3],
        last: [0; 3],
        block_size: [32, 1, 1],
    });
    Device::Fault(Box::new(KernelFault {
        kernel: "k".into(),
        kind,
        thread,
        location: None,
        waiting: Vec::new(),
    }))
}

/// One sample of each error, worded as where it is made.
fn device_errors() -> Vec<Device> {
    let launch = Device::InvalidLaunch {
        kernel: "k".into(),
        why: "2048 threads per block; the device has 1024".into(),
    };
    let access = Device::InvalidAccess {
        what: "fill",
        address: DevicePtr(16),
        len: 4,
    };
    let truncated = ImageError::Truncated {
        what: "header",
        needed: 8,
        available: 4,
    };
    vec![
        Device::OutOfMemory {
            requested: 3,
            available: 2,
            total: 2,
        },
        Device::InvalidFree(DevicePtr(16)),
        access,
        launch,
        Device::Image(truncated),
        Device::Image(ImageError::Malformed("no entries".into())),
        Device::Image(ImageError::Unknown(vec![0; 4])),
        Device::Load("undefined symbol f".into()),
        fault(FaultKind::Trap {
            message: "assertion failed".into(),
        }),
        fault(FaultKind::WildAccess {
            address: 16,
            write: true,
        }),
        fault(FaultKind::IllegalAddress),
        fault(FaultKind::Arithmetic),
        fault(FaultKind::StackOverflow),
        fault(FaultKind::Deadlock),
        fault(FaultKind::Other(
            "no progress for 1 s (OMPTARGET_VGPU_TIMEOUT): threads wait on memory".into(),
        )),
        Device::Driver {
            call: "cuStreamCreate",
            name: "CUDA_ERROR_UNKNOWN".into(),
            text: "unknown error".into(),
            advice: "look at the system's log",
        },
        Device::Lost {
            cause: "access to an address that is not mapped on the device".into(),
        },
        Device::System {
            what: "creating a file in memory for the host image".into(),
            source: std::io::Error::from_raw_os_error(libc::EAGAIN),
        },
    ]
}

fn errors() -> Vec<Error> {
    let item = || "'a' (4 bytes at host address 0x10)".to_owned();
    let mut all = vec![
        Error::Forked,
        Error::NoSuchDevice {
            number: 7,
            available: 1,
        },
        Error::Mandatory {
            why: "no device is available".into(),
        },
        Error::NoImage {
            device: "virtual GPU".into(),
            why: "none".into(),
        },
        Error::UnknownRegion { region: 16 },
        Error::MissingSymbol {
            what: "kernel",
            name: "k".into(),
        },
        Error::NotPresent { item: item() },
        Error::Constant { item: item() },
        Error::Dimensions { item: item() },
        Error::Extends {
            item: item(),
            mapped: item(),
        },
        Error::Launch {
            kernel: "k".into(),
            why: "no".into(),
        },
        Error::Routine("a pointer is null".into()),
    ];
    all.extend(device_errors().into_iter().map(Error::Load));
    all.extend(device_errors().into_iter().map(|source| Error::Item {
        what: "copying to the device",
        item: item(),
        source,
    }));
    let section = || Some("0x10 lies in the host's copy of 'a'".to_owned());
    all.extend(device_errors().into_iter().map(|source| Error::Kernel {
        source,
        section: section(),
    }));
    all.extend(device_errors().into_iter().map(|source| Error::Device {
        what: "making a stream".into(),
        source,
    }));
    all
}

#[test]
fn every_error_is_documented() {
    for error in errors() {
        let (words, text) = (words(&error), error.to_string());
        assert!(text.contains(words), "{words:?} is not in {text:?}");
        assert!(
            DOCUMENTATION.contains(words.trim()),
            "docs/errors.md has no row for {words:?} ({text:?})"
        );
    }
}

/// Only errors whose text itself says what to do, or that nobody can know about, have no hint.
#[test]
fn every_error_has_a_hint() {
    for error in errors() {
        let explains_itself = ["a pointer is null", "assertion failed", "no progress"];
        let text = error.to_string();
        let expected = !explains_itself.iter().any(|words| text.contains(words));
        assert_eq!(error.hint().is_some(), expected, "{text}");
    }
}
