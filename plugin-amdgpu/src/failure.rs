//! Translates the runtime's errors into messages for the user.

use plugin_api::{Error, FaultKind, KernelFault};
use vendor_driver::{LaunchInFlight, Trap, fault_of_trap, kernel_names};

use crate::driver::{Driver, Failure, HsaFaultReasons, HsaStatus};
use crate::troubles::Trouble;

/// Bytes of a page, to which a GPU reports addresses.
const PAGE: u64 = 4096;

/// An error that the device survives.
pub fn error(driver: &Driver, failure: Failure) -> Error {
    let (name, text) = driver.describe(failure.result);
    Error::Driver {
        call: failure.call,
        name,
        text,
        advice: advice(failure.result),
    }
}

/// A copy that the device could not do.
pub fn copy_failed() -> Error {
    Error::Driver {
        call: "hsa_amd_memory_async_copy",
        name: "the copy's signal is negative".into(),
        text: String::new(),
        advice: advice(HsaStatus::SUCCESS),
    }
}

/// Advice for the user.
fn advice(status: HsaStatus) -> &'static str {
    match status {
        HsaStatus::OUT_OF_RESOURCES => {
            "free device memory that is not needed; other processes also use the device's memory and queues \
             (`rocm-smi` lists them)"
        }
        HsaStatus::NOT_INITIALIZED => "use no device after the program has begun to exit",
        _ => {
            "`rocm-smi` and the system log may say more; OMPTARGET_DEVICES=vgpu runs the program on the virtual GPU"
        }
    }
}

/// The fault of a kernel that a device's trouble means. If a kernel left a trap record, the fault comes from it.
pub fn fault(
    driver: &Driver,
    trouble: Trouble,
    record: Option<Trap>,
    launches: &[LaunchInFlight],
) -> KernelFault {
    if let Some(trap) = record {
        return fault_of_trap(trap, launches);
    }
    KernelFault {
        kernel: kernel_names(launches.iter()),
        kind: match trouble {
            Trouble::Queue(status) => queue_failure(driver, status),
            Trouble::Memory { address, reasons } => memory_fault(address, reasons),
        },
        thread: None,
        location: None,
        waiting: Vec::new(),
    }
}

fn queue_failure(driver: &Driver, status: HsaStatus) -> FaultKind {
    let cause = match status {
        HsaStatus::MEMORY_FAULT => return FaultKind::IllegalAddress,
        HsaStatus::EXCEPTION => "the kernel trapped",
        HsaStatus::ILLEGAL_INSTRUCTION => {
            "the kernel trapped, or executed an instruction that the device does not support"
        }
        HsaStatus::MEMORY_APERTURE_VIOLATION => "access to shared or private memory beyond its end",
        HsaStatus::OUT_OF_RESOURCES => {
            "the device has not enough memory for the stacks of the kernel's threads \
             (LIBOMPTARGET_STACK_SIZE sets the part for calls through pointers)"
        }
        _ => "the device's queue failed",
    };
    let (name, text) = driver.describe(status);
    let description = match text.is_empty() {
        true => name,
        false => format!("{name}, {text}"),
    };
    FaultKind::Other(format!("{cause} ({description})"))
}

fn memory_fault(address: u64, reasons: u32) -> FaultKind {
    let page = address & !(PAGE - 1);
    let reasons = HsaFaultReasons::from_bits_retain(reasons);
    let cause = if reasons.intersects(HsaFaultReasons::DRAM_ECC | HsaFaultReasons::SRAM_ECC) {
        "the device's memory is damaged"
    } else if reasons.contains(HsaFaultReasons::HANG) {
        "the device hangs"
    } else if reasons.contains(HsaFaultReasons::READ_ONLY) {
        "store to memory that may only be read"
    } else if reasons.contains(HsaFaultReasons::NOT_EXECUTABLE) {
        "a call through a pointer that is not a function's"
    } else if reasons.contains(HsaFaultReasons::HOST_ONLY) {
        "access to memory that only the host may use"
    } else {
        return FaultKind::WildPage { page };
    };
    FaultKind::Other(format!("{cause}, in the page at {page:#x}"))
}
