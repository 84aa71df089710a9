//! A thin, typed layer over LLVM's C API: just what the passes need, nothing kept twice.
//!
//! Contract that makes the calls sound, stated here once because every call relies on it:
//! * There is one LLVM context per process. It and everything in it live until the process ends. (In clang's device
//!   link it is the linker's, and the handles are used only while it waits for our pass.) So the handle types below
//!   ([`Value`], [`Type`], [`Block`], …) can be dereferenced at any time, with two exceptions.
//! * The first exception: what was erased or deleted. Those methods are unsafe ([`Value::erase`] and its like), and
//!   their callers promise to use no handle to it again.
//! * The second exception: [`Machine::run_passes`] may delete anything in a module. Its callers look values up anew
//!   afterwards, or hold only what LLVM keeps: a function that is visible outside the module.
//! * The process is single-threaded, so no handle is used from two threads.
//! * A method may be called only on the kind of value that its documentation names. The C API checks that with a cast
//!   that is fatal in LLVM's debug builds and undefined otherwise. So the methods check it themselves (`is_a_…`) where
//!   the caller cannot know.

/// Calls a function of LLVM's C API under the contract of this module.
macro_rules! llvm {
    ($($path:ident)::+ ( $($argument:expr),* $(,)? )) => {{
        // SAFETY: the handles come from LLVM and live as long as the process (contract of `ir`);
        // pointers to locals are valid for the duration of the call.
        #[allow(unused_unsafe)]
        unsafe { llvm_sys::$($path)::+($($argument),*) }
    }};
}

mod attribute;
mod block;
mod builder;
mod context;
mod copies;
mod debug;
mod declarations;
mod flow;
mod loops;
mod machine;
mod memory;
mod module;
mod section;
mod signature;
mod substitution;
mod text;
mod types;
mod value;
mod vector;

pub use block::Block;
pub use builder::Builder;
pub use context::{Context, c_string, take_message};
pub use copies::Copies;
pub use debug::{Location, metadata_string};
pub use machine::{
    Host, Machine, MachineOptions, initialise_aarch64, initialise_gpus, initialise_x86,
    set_llvm_options,
};
pub use module::Module;
pub use substitution::Substitution;
pub use types::{Layout, Type};
pub use value::Value;
