//! OMPT: events for tools (OpenMP 5.2, chapter 19).
//!
//! A tool registers its callbacks with libomp, which passes them to this library when it connects. Without a tool an
//! event costs the load of a flag.

mod abi;
mod connection;
mod device_interface;
mod event;

pub use abi::{Construct, Data, Endpoint, Lookup, Operation, StartToolResult};
pub use connection::{NOTES_CALLERS, connect, function, note_caller};
pub use device_interface::{
    ToolDevice, devices_are_used, devices_go, image_dropped, image_loaded, set_devices,
};
pub use event::{DataOperation, Side, allocation, deletion, operation, region, submit};
