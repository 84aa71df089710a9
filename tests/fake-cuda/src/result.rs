//! The results of driver functions (`CUresult`).

use fake_driver::handle::Stale;
use fake_driver::pointer::Invalid;

/// A driver error. Numbers as in `cuda.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub u32);

/// The outcome of a call.
pub type Outcome<T = ()> = Result<T, Failure>;

macro_rules! failures {
    ($($name:ident = $value:literal, $text:literal;)*) => {
        impl Failure {$(
            pub const $name: Failure = Failure($value);
        )*}

        /// Number, name after `CUDA_ERROR_` and description of each.
        const ALL: &[(u32, &str, &str)] = &[$(
            ($value, concat!("CUDA_ERROR_", stringify!($name), "\0"), concat!($text, "\0"))
        ),*];
    };
}

failures! {
    INVALID_VALUE = 1, "invalid argument";
    OUT_OF_MEMORY = 2, "out of memory";
    NOT_INITIALIZED = 3, "initialization error";
    DEINITIALIZED = 4, "driver shutting down";
    NO_DEVICE = 100, "no CUDA-capable device is detected";
    INVALID_DEVICE = 101, "invalid device ordinal";
    INVALID_IMAGE = 200, "device kernel image is invalid";
    INVALID_CONTEXT = 201, "invalid device context";
    NO_BINARY_FOR_GPU = 209, "no kernel image is available for execution on the device";
    ECC_UNCORRECTABLE = 214, "uncorrectable ECC error encountered";
    INVALID_PTX = 218, "a PTX JIT compilation failed";
    UNSUPPORTED_PTX_VERSION = 222, "the provided PTX was compiled with an unsupported toolchain.";
    OPERATING_SYSTEM = 304, "OS call failed or operation not supported on this OS";
    INVALID_HANDLE = 400, "invalid resource handle";
    NOT_FOUND = 500, "named symbol not found";
    NOT_READY = 600, "device not ready";
    ILLEGAL_ADDRESS = 700, "an illegal memory access was encountered";
    LAUNCH_OUT_OF_RESOURCES = 701, "too many resources requested for launch";
    LAUNCH_TIMEOUT = 702, "the launch timed out and was terminated";
    PEER_ACCESS_ALREADY_ENABLED = 704, "peer access is already enabled";
    CONTEXT_IS_DESTROYED = 709, "context is destroyed";
    ASSERT = 710, "device-side assert triggered";
    HOST_MEMORY_ALREADY_REGISTERED = 712, "part or all of the requested memory range is already mapped";
    HOST_MEMORY_NOT_REGISTERED = 713, "pointer does not correspond to a registered memory region";
    HARDWARE_STACK_ERROR = 714, "hardware stack error";
    ILLEGAL_INSTRUCTION = 715, "an illegal instruction was encountered";
    MISALIGNED_ADDRESS = 716, "misaligned address";
    INVALID_ADDRESS_SPACE = 717, "operation not supported on global/shared address space";
    INVALID_PC = 718, "invalid program counter";
    LAUNCH_FAILED = 719, "unspecified launch failure";
    COOPERATIVE_LAUNCH_TOO_LARGE = 720, "too many blocks in cooperative launch";
    NOT_SUPPORTED = 801, "operation not supported";
    UNKNOWN = 999, "unknown error";
}

impl From<Stale> for Failure {
    fn from(_: Stale) -> Failure {
        Failure::INVALID_HANDLE
    }
}

impl From<Invalid> for Failure {
    fn from(_: Invalid) -> Failure {
        Failure::INVALID_VALUE
    }
}

impl Failure {
    /// The error called `name` (`CUDA_ERROR_OUT_OF_MEMORY`).
    pub fn named(name: &str) -> Option<Failure> {
        let known = ALL
            .iter()
            .find(|(_, own, _)| own.trim_end_matches('\0') == name);
        known.map(|(number, ..)| Failure(*number))
    }

    /// Whether the error is sticky. The reference says of these errors: "This leaves the process in an
    /// inconsistent state and any further CUDA work will return the same error".
    pub fn is_sticky(self) -> bool {
        const STICKY: [Failure; 9] = [
            Failure::ECC_UNCORRECTABLE,
            Failure::ILLEGAL_ADDRESS,
            Failure::LAUNCH_TIMEOUT,
            Failure::ASSERT,
            Failure::HARDWARE_STACK_ERROR,
            Failure::ILLEGAL_INSTRUCTION,
            Failure::MISALIGNED_ADDRESS,
            Failure::INVALID_PC,
            Failure::LAUNCH_FAILED,
        ];
        STICKY.contains(&self) || self == Failure::INVALID_ADDRESS_SPACE
    }
}

/// Name and description of a result, NUL-terminated.
pub fn name_and_description(number: u32) -> Option<(&'static str, &'static str)> {
    if number == 0 {
        return Some(("CUDA_SUCCESS\0", "no error\0"));
    }
    let known = ALL.iter().find(|(own, ..)| *own == number);
    known.map(|(_, name, text)| (*name, *text))
}
