//! The results of HSA functions (`hsa_status_t`).

use fake_driver::handle::Stale;
use fake_driver::pointer::Invalid;

/// An error. Numbers as in `hsa.h` and `hsa_ext_amd.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub u32);

/// The outcome of a call.
pub type Outcome<T = ()> = Result<T, Failure>;

macro_rules! failures {
    ($($name:ident = $value:literal, $text:literal;)*) => {
        #[allow(dead_code, reason = "tests inject some by name only")]
        impl Failure {$(
            pub const $name: Failure = Failure($value);
        )*}

        /// Number, name and description of each.
        const ALL: &[(u32, &str, &str)] = &[$(
            ($value, concat!("HSA_STATUS_", stringify!($name)), concat!("HSA_STATUS_", stringify!($name), ": ", $text, "\0"))
        ),*];
    };
}

failures! {
    INFO_BREAK = 0x1, "a traversal over a list of elements has been interrupted";
    ERROR_INVALID_MEMORY_POOL = 40, "the memory pool is invalid";
    ERROR_MEMORY_APERTURE_VIOLATION = 41, "an agent accessed memory beyond the maximum legal address";
    ERROR_ILLEGAL_INSTRUCTION = 42, "an agent executed an invalid shader instruction";
    ERROR_MEMORY_FAULT = 43, "an agent accessed an inaccessible address";
    ERROR = 0x1000, "a generic error has occurred";
    ERROR_INVALID_ARGUMENT = 0x1001, "an argument does not satisfy a precondition";
    ERROR_INVALID_QUEUE_CREATION = 0x1002, "the requested queue creation is not valid";
    ERROR_INVALID_ALLOCATION = 0x1003, "the requested allocation is not valid";
    ERROR_INVALID_AGENT = 0x1004, "the agent is invalid";
    ERROR_INVALID_REGION = 0x1005, "the memory region is invalid";
    ERROR_INVALID_SIGNAL = 0x1006, "the signal is invalid";
    ERROR_INVALID_QUEUE = 0x1007, "the queue is invalid";
    ERROR_OUT_OF_RESOURCES = 0x1008, "a lack of resources";
    ERROR_INVALID_PACKET_FORMAT = 0x1009, "the AQL packet is malformed";
    ERROR_RESOURCE_FREE = 0x100a, "an error while a resource was being released";
    ERROR_NOT_INITIALIZED = 0x100b, "the HSA runtime has not been initialized";
    ERROR_REFCOUNT_OVERFLOW = 0x100c, "the maximum reference count has been reached";
    ERROR_INCOMPATIBLE_ARGUMENTS = 0x100d, "the arguments are not compatible";
    ERROR_INVALID_INDEX = 0x100e, "the index is invalid";
    ERROR_INVALID_ISA = 0x100f, "the instruction set architecture is invalid";
    ERROR_INVALID_CODE_OBJECT = 0x1010, "the code object is invalid";
    ERROR_INVALID_EXECUTABLE = 0x1011, "the executable is invalid";
    ERROR_FROZEN_EXECUTABLE = 0x1012, "the executable is frozen";
    ERROR_INVALID_SYMBOL_NAME = 0x1013, "there is no symbol with the given name";
    ERROR_VARIABLE_ALREADY_DEFINED = 0x1014, "the variable is already defined";
    ERROR_VARIABLE_UNDEFINED = 0x1015, "the variable is undefined";
    ERROR_EXCEPTION = 0x1016, "an HSAIL operation resulted in a hardware exception";
    ERROR_INVALID_ISA_NAME = 0x1017, "the instruction set architecture name is invalid";
    ERROR_INVALID_EXECUTABLE_SYMBOL = 0x1019, "the executable symbol is invalid";
    ERROR_INVALID_CODE_OBJECT_READER = 0x1021, "the code object reader is invalid";
    ERROR_FATAL = 0x1026, "an unrecoverable error";
}

impl From<Stale> for Failure {
    fn from(_: Stale) -> Failure {
        Failure::ERROR_INVALID_ARGUMENT
    }
}

impl From<Invalid> for Failure {
    fn from(_: Invalid) -> Failure {
        Failure::ERROR_INVALID_ARGUMENT
    }
}

impl Failure {
    /// The error called `name` (`HSA_STATUS_ERROR_OUT_OF_RESOURCES`).
    pub fn named(name: &str) -> Option<Failure> {
        let known = ALL.iter().find(|(_, own, _)| *own == name);
        known.map(|(number, ..)| Failure(*number))
    }
}

/// Description of a result, NUL-terminated.
pub fn description(number: u32) -> Option<&'static str> {
    if number == 0 {
        return Some("HSA_STATUS_SUCCESS: The function has been executed successfully.\0");
    }
    let known = ALL.iter().find(|(own, ..)| *own == number);
    known.map(|(_, _, text)| *text)
}
