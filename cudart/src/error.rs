//! Error codes: CUDA's names and numbers, the last error of a thread, and what errors of devices become.

use std::cell::Cell;
use std::ffi::CStr;

use plugin_api::{Error as DeviceError, FaultKind};

/// A `cudaError_t` that is not `cudaSuccess`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub i32);

/// Result of an entry point's work.
pub type Result<T> = std::result::Result<T, Code>;

/// `cudaSuccess`.
pub const SUCCESS: i32 = 0;

macro_rules! codes {
    ($($constant:ident = $number:literal, $name:literal, $text:literal;)*) => {
        impl Code {
            $(
                #[doc = concat!("`", $name, "`: ", $text, ".")]
                #[allow(dead_code, reason = "a program may ask for the name of each")]
                pub const $constant: Code = Code($number);
            )*
        }

        /// Number, name and description of every error.
        const CODES: &[(i32, &CStr, &CStr)] = &[
            (SUCCESS, c"cudaSuccess", c"no error"),
            $(($number, to_c(concat!($name, "\0")), to_c(concat!($text, "\0"))),)*
        ];
    };
}

const fn to_c(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("the text ends with the only NUL"),
    }
}

codes! {
    INVALID_VALUE = 1, "cudaErrorInvalidValue", "invalid argument";
    MEMORY_ALLOCATION = 2, "cudaErrorMemoryAllocation", "out of memory";
    INITIALIZATION = 3, "cudaErrorInitializationError", "initialization error";
    INVALID_CONFIGURATION = 9, "cudaErrorInvalidConfiguration", "invalid configuration argument";
    INVALID_PITCH = 12, "cudaErrorInvalidPitchValue", "invalid pitch argument";
    INVALID_SYMBOL = 13, "cudaErrorInvalidSymbol", "invalid device symbol";
    INVALID_DIRECTION = 21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy";
    MISSING_CONFIGURATION = 52, "cudaErrorMissingConfiguration", "a kernel's host function was called without <<<...>>>";
    INVALID_FUNCTION = 98, "cudaErrorInvalidDeviceFunction", "invalid device function";
    NO_DEVICE = 100, "cudaErrorNoDevice", "no CUDA-capable device is detected";
    INVALID_DEVICE = 101, "cudaErrorInvalidDevice", "invalid device ordinal";
    INVALID_IMAGE = 200, "cudaErrorInvalidKernelImage", "device kernel image is invalid";
    NO_IMAGE = 209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device";
    INVALID_HANDLE = 400, "cudaErrorInvalidResourceHandle", "invalid resource handle";
    NOT_READY = 600, "cudaErrorNotReady", "device not ready";
    ILLEGAL_ADDRESS = 700, "cudaErrorIllegalAddress", "an illegal memory access was encountered";
    OUT_OF_RESOURCES = 701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch";
    TIMEOUT = 702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated";
    ASSERT = 710, "cudaErrorAssert", "device-side assert triggered";
    STACK = 714, "cudaErrorHardwareStackError", "hardware stack error";
    LAUNCH_FAILURE = 719, "cudaErrorLaunchFailure", "unspecified launch failure";
    NOT_SUPPORTED = 801, "cudaErrorNotSupported", "operation not supported";
    UNKNOWN = 999, "cudaErrorUnknown", "unknown error";
}

fn row(number: i32) -> Option<&'static (i32, &'static CStr, &'static CStr)> {
    CODES.iter().find(|(known, ..)| *known == number)
}

/// The enumerator's name.
pub fn name(number: i32) -> &'static CStr {
    row(number).map_or(c"unrecognized error code", |(_, name, _)| name)
}

/// The description.
pub fn description(number: i32) -> &'static CStr {
    row(number).map_or(c"unrecognized error code", |(.., text)| text)
}

impl Code {
    /// What an error of a device is in CUDA's terms.
    pub fn of(error: &DeviceError) -> Code {
        match error {
            DeviceError::OutOfMemory { .. } => Code::MEMORY_ALLOCATION,
            DeviceError::InvalidFree(_) | DeviceError::InvalidAccess { .. } => Code::INVALID_VALUE,
            DeviceError::InvalidLaunch { .. } => Code::INVALID_CONFIGURATION,
            DeviceError::Image(_) | DeviceError::Load(_) => Code::INVALID_IMAGE,
            DeviceError::Fault(fault) => match &fault.kind {
                FaultKind::Trap { message } if !message.is_empty() => Code::ASSERT,
                FaultKind::WildAccess { .. }
                | FaultKind::WildPage { .. }
                | FaultKind::IllegalAddress => Code::ILLEGAL_ADDRESS,
                FaultKind::Deadlock => Code::TIMEOUT,
                FaultKind::StackOverflow => Code::STACK,
                FaultKind::Trap { .. } | FaultKind::Arithmetic | FaultKind::Other(_) => {
                    Code::LAUNCH_FAILURE
                }
            },
            DeviceError::Lost { .. } => Code::LAUNCH_FAILURE,
            DeviceError::Driver { .. } | DeviceError::System { .. } => Code::UNKNOWN,
        }
    }
}

thread_local! {
    static LAST: Cell<i32> = const { Cell::new(SUCCESS) };
}

/// The code that an entry point returns. An error becomes the thread's last one.
pub fn answer(result: Result<()>) -> i32 {
    match result {
        Ok(()) => SUCCESS,
        // An answer rather than a failure.
        Err(Code::NOT_READY) => Code::NOT_READY.0,
        Err(code) => {
            LAST.set(code.0);
            code.0
        }
    }
}

/// The thread's last error, which is forgotten.
pub fn take_last() -> i32 {
    LAST.replace(SUCCESS)
}

/// The thread's last error.
pub fn last() -> i32 {
    LAST.get()
}

/// Tells the user what no error code says: where a kernel failed, why an image cannot be loaded.
pub fn report(what: &str, why: &dyn std::fmt::Display) {
    eprintln!("libcudart: {what}: {why}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_stays_until_it_is_taken() {
        assert_eq!(answer(Err(Code::INVALID_VALUE)), 1);
        assert_eq!(answer(Ok(())), 0);
        assert_eq!(answer(Err(Code::NOT_READY)), 600);
        assert_eq!((last(), take_last(), take_last()), (1, 1, 0));
    }

    #[test]
    fn errors_have_names() {
        assert_eq!(name(0), c"cudaSuccess");
        assert_eq!(name(Code::ASSERT.0), c"cudaErrorAssert");
        assert_eq!(description(2), c"out of memory");
        assert_eq!(name(12345), c"unrecognized error code");
    }
}
