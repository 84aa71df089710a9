//! Translates the driver's errors into messages for the user.

use plugin_api::{Error, FaultKind, KernelFault};
use vendor_driver::{LaunchInFlight, Trap, fault_of_trap, kernel_names};

use crate::driver::{CuResult, Driver, Failure};

/// Whether the error destroys the context, so that every later call gives it again. `cuda.h` says of each of
/// these errors: "the process must be terminated and relaunched".
pub fn is_sticky(result: CuResult) -> bool {
    matches!(
        result,
        CuResult::ECC_UNCORRECTABLE
            | CuResult::ILLEGAL_ADDRESS
            | CuResult::LAUNCH_TIMEOUT
            | CuResult::CONTEXT_IS_DESTROYED
            | CuResult::ASSERT
            | CuResult::HARDWARE_STACK_ERROR
            | CuResult::ILLEGAL_INSTRUCTION
            | CuResult::MISALIGNED_ADDRESS
            | CuResult::INVALID_ADDRESS_SPACE
            | CuResult::INVALID_PC
            | CuResult::LAUNCH_FAILED
    )
}

/// An error that the context survives.
pub fn error(driver: &Driver, failure: Failure) -> Error {
    let (name, text) = driver.describe(failure.result);
    Error::Driver {
        call: failure.call,
        name,
        text,
        advice: advice(failure.result),
    }
}

/// Advice for the user.
fn advice(result: CuResult) -> &'static str {
    match result {
        CuResult::OUT_OF_MEMORY => {
            "free device memory that is not needed; other processes also use the device's memory \
             (`nvidia-smi` lists them)"
        }
        CuResult::DEVICE_UNAVAILABLE => {
            "another process uses the device exclusively (`nvidia-smi -q -d COMPUTE` shows the compute mode)"
        }
        CuResult::LAUNCH_OUT_OF_RESOURCES => {
            "lower thread_limit or the shared memory of the region"
        }
        CuResult::SYSTEM_NOT_READY => {
            "the system's services for the GPUs are not running (the fabric manager, on machines with NVSwitch)"
        }
        CuResult::SYSTEM_DRIVER_MISMATCH => {
            "the driver's library and its kernel module have different versions: restart the machine after an update, \
             or correct LD_LIBRARY_PATH"
        }
        CuResult::UNSUPPORTED_PTX_VERSION => "update the NVIDIA driver",
        CuResult::DEINITIALIZED => "use no device after the program has begun to exit",
        _ => {
            "`nvidia-smi` and the system log may say more; OMPTARGET_DEVICES=vgpu runs the program on the virtual GPU"
        }
    }
}

/// An error that destroys the context, as the fault of a kernel. If a kernel left a trap record, the fault comes
/// from it.
pub fn fault(
    driver: &Driver,
    failure: Failure,
    record: Option<Trap>,
    launches: &[LaunchInFlight],
) -> KernelFault {
    let (name, text) = driver.describe(failure.result);
    let description = match text.is_empty() {
        true => name,
        false => format!("{name}, {text}"),
    };
    fault_of(failure.result, &description, record, launches)
}

fn fault_of(
    result: CuResult,
    description: &str,
    record: Option<Trap>,
    launches: &[LaunchInFlight],
) -> KernelFault {
    match record {
        Some(trap) => fault_of_trap(trap, launches),
        None => KernelFault {
            kernel: kernel_names(launches.iter()),
            kind: kind(result, description),
            thread: None,
            location: None,
            waiting: Vec::new(),
        },
    }
}

fn kind(result: CuResult, description: &str) -> FaultKind {
    let cause = match result {
        CuResult::ILLEGAL_ADDRESS => return FaultKind::IllegalAddress,
        CuResult::HARDWARE_STACK_ERROR => return FaultKind::StackOverflow,
        CuResult::ASSERT => "a failed assertion, which the driver has printed",
        CuResult::LAUNCH_FAILED | CuResult::ILLEGAL_INSTRUCTION => {
            "the kernel trapped, or executed an instruction that the device does not support"
        }
        CuResult::LAUNCH_TIMEOUT => "the kernel ran longer than the display's watchdog allows",
        CuResult::MISALIGNED_ADDRESS => "access to a misaligned address",
        CuResult::INVALID_ADDRESS_SPACE => "access to an address in another address space",
        CuResult::INVALID_PC => "a call through a pointer that is not a function's",
        CuResult::ECC_UNCORRECTABLE => "the device's memory is damaged",
        _ => "the device's context was destroyed",
    };
    FaultKind::Other(format!("{cause} ({description})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(kernel: &str, teams: u32) -> LaunchInFlight {
        LaunchInFlight {
            kernel: kernel.into(),
            grid: [teams, 1, 1],
            block: [128, 1, 1],
        }
    }

    #[test]
    fn without_a_record_the_drivers_words_are_given() {
        let launches = [launch("k", 2), launch("k", 2)];
        let of = |result| fault_of(result, "CUDA_ERROR_X, words", None, &launches);
        assert_eq!(
            of(CuResult::ILLEGAL_ADDRESS).kind,
            FaultKind::IllegalAddress
        );
        let text = of(CuResult::LAUNCH_FAILED).to_string();
        assert!(text.contains("(CUDA_ERROR_X, words)\n  kernel k"), "{text}");
        let unknown = fault_of(CuResult::ASSERT, "x", None, &[]);
        assert_eq!(unknown.kernel, "unknown");
    }

    #[test]
    fn what_is_sticky() {
        assert!(is_sticky(CuResult::ILLEGAL_ADDRESS) && is_sticky(CuResult::LAUNCH_FAILED));
        assert!(!is_sticky(CuResult::OUT_OF_MEMORY) && !is_sticky(CuResult::DEINITIALIZED));
    }
}
