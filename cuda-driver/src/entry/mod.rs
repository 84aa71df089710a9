//! The entry points, by family. Functions that the runtime's interface has, too, are declared by macros: they check
//! that the driver has started and that the thread has a context.

#![allow(non_snake_case, reason = "the names are the ABI")]

pub mod any_node;
pub mod array_copies;
pub mod arrays;
pub mod contexts;
pub mod copies;
pub mod devices;
pub mod earlier_graphs;
pub mod earlier_launches;
pub mod earlier_names;
pub mod events;
pub mod external;
pub mod fills;
pub mod first_questions;
pub mod for_the_runtime;
pub mod functions;
pub mod graph_nodes;
pub mod graph_questions;
pub mod graphics;
pub mod graphs;
pub mod launches;
pub mod libraries;
pub mod links;
pub mod memory;
pub mod modules;
pub mod occupancy;
pub mod parts;
pub mod peers;
pub mod pointers;
pub mod pools;
pub mod primary;
pub mod processes;
pub mod start;
pub mod streams;
pub mod texture_references;
pub mod textures;
pub mod user_objects;
pub mod virtual_memory;

use std::ffi::{CStr, c_char, c_void};

use cudart::error::{Code, Result, without_trace};

use crate::{contexts as context, status};

/// `CU_STREAM_PER_THREAD`.
const PER_THREAD: *mut c_void = 2 as *mut c_void;

/// The stream that a handle means for programs compiled for a default stream of each thread.
fn meant(stream: *mut c_void) -> *mut c_void {
    match stream.is_null() {
        true => PER_THREAD,
        false => stream,
    }
}

/// A place that the program gives for a result.
///
/// # Safety
/// The address is null or valid for a `T`.
unsafe fn place<'a, T>(address: *mut T) -> Result<&'a mut T> {
    // SAFETY: caller.
    unsafe { address.as_mut() }.ok_or(Code::INVALID_VALUE)
}

/// A name that the program gives.
///
/// # Safety
/// The address is null or a string.
unsafe fn name<'a>(text: *const c_char) -> Result<&'a CStr> {
    match text.is_null() {
        true => Err(Code::INVALID_VALUE),
        // SAFETY: caller.
        false => Ok(unsafe { CStr::from_ptr(text) }),
    }
}

/// Calls a function of the runtime's interface on a thread with a context.
fn in_context(call: impl FnOnce() -> i32) -> i32 {
    match context::current() {
        Ok(_) => status::number(without_trace(call)),
        Err(code) => code.0,
    }
}

/// The same where no context is needed.
fn started(call: impl FnOnce() -> i32) -> i32 {
    match context::started() {
        Ok(()) => status::number(without_trace(call)),
        Err(code) => code.0,
    }
}

/// The same for work on a stream, whose context it is. A default stream is the current context's.
fn on_stream(stream: *mut c_void, call: impl FnOnce() -> i32) -> i32 {
    match stream as usize > PER_THREAD as usize {
        true => started(call),
        false => in_context(call),
    }
}

/// The outcome of a call of the runtime's interface.
fn outcome(code: i32) -> Result<()> {
    match code {
        cudart::error::SUCCESS => Ok(()),
        code => Err(Code(code)),
    }
}

/// Functions that are the runtime's, by other names. `prologue` is [`in_context`] or [`started`].
macro_rules! forward {
    ($prologue:path; $($(#[$doc:meta])* $name:ident = $module:ident :: $function:ident ($($argument:ident: $type:ty),* $(,)?);)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// As for the function of the runtime's interface.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            #[allow(unused_unsafe, reason = "some of the functions are safe")]
            // SAFETY: caller.
            $prologue(|| unsafe { cudart::entry::$module::$function($($argument),*) })
        }
    )* };
}
use forward;

/// The same functions with the thread's default stream in place of the device's.
macro_rules! per_thread {
    ($($name:ident = $function:ident ($($before:ident: $type:ty),*; stream $(, $after:ident: $last:ty)*);)*) => { $(
        /// The same with the thread's default stream.
        ///
        /// # Safety
        /// As for the other function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $($before: $type,)* stream: *mut std::ffi::c_void $(, $after: $last)*
        ) -> i32 {
            // SAFETY: caller.
            unsafe { $function($($before,)* crate::entry::meant(stream) $(, $after)*) }
        }
    )* };
}
use per_thread;

/// Functions that wait: those that do not, on the thread's default stream, and then a wait.
macro_rules! per_thread_waiting {
    ($($name:ident = $function:ident ($($argument:ident: $type:ty),*);)*) => { $(
        /// The same with the thread's default stream.
        ///
        /// # Safety
        /// As for the other function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            // SAFETY: caller.
            unsafe {
                match $function($($argument,)* crate::entry::PER_THREAD) {
                    cudart::error::SUCCESS => {
                        crate::entry::streams::cuStreamSynchronize(crate::entry::PER_THREAD)
                    }
                    code => code,
                }
            }
        }
    )* };
}
use per_thread_waiting;
