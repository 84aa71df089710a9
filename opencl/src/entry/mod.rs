//! The entry points, a file per family. They turn raw arguments into safe types, and check them in the order in which
//! the specification lists the errors.

pub mod command_buffers;
pub mod contexts;
pub mod devices;
pub mod events;
pub mod fills;
pub mod image_transfers;
pub mod images;
pub mod intermediate;
pub mod kernels;
pub mod launches;
pub mod mappings;
pub mod memory;
pub mod platforms;
pub mod prepared;
pub mod programs;
pub mod queues;
pub mod recordings;
pub mod rectangles;
pub mod samplers;
pub mod shared;
pub mod transfers;
pub mod unsupported;

use std::ffi::{CStr, c_char};

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::handle::{Kind, Raw, Ref, get};
use crate::memory::Memory;
use crate::queue::{Enqueued, Event, Queue, Rank, enqueue};
use crate::scheduler::Action;

/// What an entry point returns.
fn answer(result: Result<()>) -> i32 {
    match result {
        Ok(()) => 0,
        Err(code) => code.0,
    }
}

/// The handle that an entry point returns, and its code.
///
/// # Safety
/// `code` is writable or null.
unsafe fn created<T: Kind>(result: Result<Ref<T>>, code: *mut i32) -> Raw {
    // SAFETY: the caller's contract.
    unsafe { answered(result.map(|object| object.raw()), code) }
}

/// The same for what is no object.
///
/// # Safety
/// `code` is writable or null.
unsafe fn answered(result: Result<Raw>, code: *mut i32) -> Raw {
    if !code.is_null() {
        // SAFETY: the caller's contract.
        unsafe { *code = answer(result.as_ref().map(|_| ()).map_err(|code| *code)) };
    }
    result.unwrap_or(std::ptr::null_mut())
}

/// The events of a wait list.
///
/// # Safety
/// `list` has `count` handles unless it is null.
unsafe fn wait_list(
    context: &Ref<Context>,
    count: u32,
    list: *const Raw,
) -> Result<Vec<Ref<Event>>> {
    if (count == 0) != list.is_null() {
        return Err(Code::INVALID_EVENT_WAIT_LIST);
    }
    // SAFETY: the caller's contract.
    let events = unsafe { crate::handle::get_all::<Event>(count, list) };
    let events = events.map_err(|_| Code::INVALID_EVENT_WAIT_LIST)?;
    match events.iter().all(|event| {
        std::ptr::eq(
            std::sync::Arc::as_ptr(&event.context),
            std::sync::Arc::as_ptr(context),
        )
    }) {
        true => Ok(events),
        false => Err(Code::INVALID_CONTEXT),
    }
}

/// Gives the program a command's event, if it wants it, and waits if the call is to block.
///
/// # Safety
/// `event` is writable or null.
unsafe fn enqueued(command: Enqueued, event: *mut Raw, blocking: bool) -> Result<()> {
    if !event.is_null() {
        // SAFETY: the caller's contract.
        unsafe { *event = command.event().raw() };
    }
    match blocking {
        true => command.wait(),
        false => Ok(()),
    }
}

/// Enqueues a command behind the events of a wait list, gives the program its event, and waits if the call is to block.
///
/// # Safety
/// Lists as their counts say, `event` is writable or null.
unsafe fn submit(
    queue: &Ref<Queue>,
    number: u32,
    blocking: bool,
    (count, list): (u32, *const Raw),
    event: *mut Raw,
    work: Action,
) -> Result<()> {
    // SAFETY: caller.
    let list = unsafe { wait_list(&queue.context, count, list) }?;
    let command = enqueue(queue, number, Rank::Command, &list, work);
    // SAFETY: caller.
    unsafe { enqueued(command, event, blocking) }
}

/// A queue, and that an object is of its context.
fn same_context(queue: &Ref<Queue>, context: &Ref<Context>) -> Result<()> {
    match std::ptr::eq(
        std::sync::Arc::as_ptr(&queue.context),
        std::sync::Arc::as_ptr(context),
    ) {
        true => Ok(()),
        false => Err(Code::INVALID_CONTEXT),
    }
}

/// A queue and a memory object of its context.
fn queue_and<T: Kind>(
    queue: Raw,
    object: Raw,
    context: impl Fn(&Ref<T>) -> &Ref<Context>,
) -> Result<(Ref<Queue>, Ref<T>)> {
    let queue = get::<Queue>(queue)?;
    let object = get::<T>(object)?;
    same_context(&queue, context(&object))?;
    Ok((queue, object))
}

/// A queue and a buffer of its context.
fn queue_and_buffer(queue: Raw, buffer: Raw) -> Result<(Ref<Queue>, Ref<Memory>)> {
    let (queue, buffer) = queue_and::<Memory>(queue, buffer, |buffer| &buffer.context)?;
    match buffer.image {
        None => Ok((queue, buffer)),
        Some(_) => Err(Code::INVALID_MEM_OBJECT),
    }
}

/// A text; empty for null.
///
/// # Safety
/// `text` is a C string or null.
unsafe fn text(text: *const c_char) -> String {
    match text.is_null() {
        true => String::new(),
        // SAFETY: the caller's contract.
        false => unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned(),
    }
}

/// A list of properties that ends with a zero, which is part of it; empty for null.
///
/// # Safety
/// `list` ends with a zero, or is null.
unsafe fn properties<T: Copy + PartialEq + Default>(list: *const T) -> Vec<T> {
    let mut all = Vec::new();
    if list.is_null() {
        return all;
    }
    loop {
        // SAFETY: the caller's contract; keys alone end the list, and each is followed by a value.
        let key = unsafe { *list.add(all.len()) };
        all.push(key);
        if key == T::default() {
            return all;
        }
        // SAFETY: as above.
        all.push(unsafe { *list.add(all.len()) });
    }
}
