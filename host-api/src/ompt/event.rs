//! Events of constructs, data operations and kernel launches. An event begins when its value is created and ends when
//! it is dropped.

use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use super::abi::{Callbacks, Construct, Data, Endpoint, NOWAIT, Operation};
use super::connection::{caller, task_data, tool};
use super::device_interface::host_number;

thread_local! {
    /// The construct this thread is in.
    static REGION: Cell<*mut Open> = const { Cell::new(std::ptr::null_mut()) };
}

/// A construct that is being executed.
struct Open {
    tool: &'static Callbacks,
    kind: c_int,
    device: c_int,
    task_data: *mut Data,
    target_task_data: *mut Data,
    /// The tool's data, or the runtime's id.
    target_data: Data,
    caller: *const c_void,
    /// The construct that the thread was in before.
    outer: *mut Open,
}

/// The event of a construct.
#[must_use]
pub struct Region(Option<Box<Open>>);

/// An id that no other construct or operation has.
fn new_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A construct begins.
pub fn region(kind: Construct, nowait: bool, device: usize) -> Region {
    let Some(tool) = tool() else {
        return Region(None);
    };
    let (task_data, target_task_data) = task_data();
    let mut open = Box::new(Open {
        tool,
        kind: kind as c_int + if nowait { NOWAIT } else { 0 },
        device: device as c_int,
        task_data,
        target_task_data,
        target_data: if tool.target_emi.is_some() {
            0
        } else {
            new_id()
        },
        caller: caller(),
        outer: REGION.get(),
    });
    open.notify(Endpoint::Begin);
    REGION.set(&raw mut *open);
    Region(Some(open))
}

impl Open {
    fn notify(&mut self, endpoint: Endpoint) {
        let (kind, device, task) = (self.kind, self.device, self.task_data);
        if let Some(callback) = self.tool.target_emi {
            let data = &raw mut self.target_data;
            // SAFETY: the tool's callback; the pointers are valid until the construct ends.
            unsafe {
                callback(
                    kind,
                    endpoint,
                    device,
                    task,
                    self.target_task_data,
                    data,
                    self.caller,
                )
            };
        } else if let Some(callback) = self.tool.target {
            // SAFETY: the tool's callback.
            unsafe { callback(kind, endpoint, device, task, self.target_data, self.caller) };
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if let Some(open) = &mut self.0 {
            REGION.set(open.outer);
            open.notify(Endpoint::End);
        }
    }
}

/// What an event inside a construct says about that construct.
struct Surroundings {
    target_task_data: *mut Data,
    target_data: *mut Data,
    caller: *const c_void,
}

impl Surroundings {
    /// `none` is the construct's data if there is no construct.
    fn new(none: &mut Data) -> Surroundings {
        let region = REGION.get();
        if region.is_null() {
            return Surroundings {
                target_task_data: std::ptr::null_mut(),
                target_data: none,
                caller: caller(),
            };
        }
        // SAFETY: set by this thread while the construct is open.
        unsafe {
            Surroundings {
                target_task_data: (*region).target_task_data,
                target_data: &raw mut (*region).target_data,
                caller: (*region).caller,
            }
        }
    }
}

/// One side of a data operation.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    address: u64,
    /// `None`: the host. Its number depends on the number of devices.
    device: Option<c_int>,
}

impl Side {
    /// Memory of the host.
    pub fn host(address: u64) -> Side {
        Side {
            address,
            device: None,
        }
    }

    /// Memory of a device.
    pub fn device(number: usize, address: u64) -> Side {
        Side {
            address,
            device: Some(number as c_int),
        }
    }

    fn number(self) -> c_int {
        self.device.unwrap_or_else(host_number)
    }

    fn pointer(self) -> *mut c_void {
        self.address as *mut c_void
    }
}

/// The event of a data operation.
#[must_use]
pub struct DataOperation(Option<OpenOperation>);

struct OpenOperation {
    tool: &'static Callbacks,
    kind: Operation,
    source: Side,
    destination: Side,
    bytes: u64,
    id: u64,
}

/// A data operation begins. `sides` returns its source and destination; it is called only if there is a tool.
pub fn operation(
    kind: Operation,
    bytes: u64,
    sides: impl FnOnce() -> (Side, Side),
) -> DataOperation {
    let Some(tool) = tool() else {
        return DataOperation(None);
    };
    let (source, destination) = sides();
    let mut open = OpenOperation {
        tool,
        kind,
        source,
        destination,
        bytes,
        id: 0,
    };
    if tool.target_data_op_emi.is_some() {
        open.notify(Endpoint::Begin);
    } else if let Some(callback) = tool.target_data_op {
        open.id = new_id();
        let mut none = 0;
        let around = Surroundings::new(&mut none);
        // SAFETY: the tool's callback; the number of the construct is readable.
        unsafe {
            callback(
                *around.target_data,
                open.id,
                kind as c_int,
                source.pointer(),
                source.number(),
                destination.pointer(),
                destination.number(),
                bytes as usize,
                around.caller,
            );
        }
    }
    DataOperation(Some(open))
}

/// Device memory is about to be allocated for host memory, if any.
pub fn allocation(device: usize, host: Side, bytes: u64) -> DataOperation {
    operation(Operation::Alloc, bytes, || (host, Side::device(device, 0)))
}

/// Device memory is about to be freed.
pub fn deletion(device: usize, address: u64) -> DataOperation {
    // As in LLVM, there is neither a destination nor a size.
    const NOWHERE: Side = Side {
        address: 0,
        device: Some(-1),
    };
    operation(Operation::Delete, 0, || {
        (Side::device(device, address), NOWHERE)
    })
}

impl DataOperation {
    /// Ends an allocation at `address`.
    pub fn at(mut self, address: u64) {
        if let Some(open) = &mut self.0 {
            open.destination.address = address;
        }
    }
}

impl OpenOperation {
    fn notify(&mut self, endpoint: Endpoint) {
        let Some(callback) = self.tool.target_data_op_emi else {
            return;
        };
        let mut none = 0;
        let around = Surroundings::new(&mut none);
        // SAFETY: the tool's callback; the pointers are valid.
        unsafe {
            callback(
                endpoint,
                around.target_task_data,
                around.target_data,
                &mut self.id,
                self.kind as c_int,
                self.source.pointer(),
                self.source.number(),
                self.destination.pointer(),
                self.destination.number(),
                self.bytes as usize,
                around.caller,
            );
        }
    }
}

impl Drop for DataOperation {
    fn drop(&mut self) {
        if let Some(open) = &mut self.0 {
            open.notify(Endpoint::End);
        }
    }
}

/// The event of a kernel launch.
#[must_use]
pub struct Submit(Option<(&'static Callbacks, c_uint, u64)>);

/// A launch begins. `teams` is the number that the construct asks for; 0: none.
pub fn submit(teams: u32) -> Submit {
    let Some(tool) = tool() else {
        return Submit(None);
    };
    let mut submit = Submit(Some((tool, teams, 0)));
    if tool.target_submit_emi.is_some() {
        submit.notify(Endpoint::Begin);
    } else if let Some(callback) = tool.target_submit {
        let mut none = 0;
        let around = Surroundings::new(&mut none);
        // SAFETY: the tool's callback; the number of the construct is readable.
        unsafe { callback(*around.target_data, new_id(), teams) };
    }
    submit
}

impl Submit {
    fn notify(&mut self, endpoint: Endpoint) {
        let Some((tool, teams, id)) = &mut self.0 else {
            return;
        };
        if let Some(callback) = tool.target_submit_emi {
            let mut none = 0;
            let around = Surroundings::new(&mut none);
            // SAFETY: the tool's callback; the pointers are valid.
            unsafe { callback(endpoint, around.target_data, id, *teams) };
        }
    }
}

impl Drop for Submit {
    fn drop(&mut self) {
        self.notify(Endpoint::End);
    }
}
