//! Contexts. The runtime's interface has one for each device, the primary one. Programs of the driver's interface may
//! make others. Each thread has a stack of them, whose top is the current one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use cudart::cuda_device::CudaDevice;
use cudart::error::{Code, Result};
use cudart::runtime::runtime;
use parking_lot::Mutex;

/// A context.
#[derive(Clone)]
pub struct Context {
    /// The device, with what belongs to the context.
    pub device: Arc<CudaDevice>,
    /// How many users the primary context has. 1 for others.
    pub users: usize,
    /// `CUctx_flags`.
    pub flags: u32,
    /// Whether it is the one that the runtime's interface uses.
    pub is_primary: bool,
}

/// A handle is this and the context's number. No address of a process is so high.
const FIRST: usize = 0x00c0_0000_0000_0000;

thread_local! {
    /// The contexts below the current one.
    static BELOW: RefCell<Vec<Option<Arc<CudaDevice>>>> = const { RefCell::new(Vec::new()) };
}

type Table = Mutex<HashMap<usize, Context>>;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(Table::default)
}

static STARTED: AtomicBool = AtomicBool::new(false);

/// `cuInit` was called.
pub fn start() {
    STARTED.store(true, Ordering::Relaxed);
}

/// Refuses a call before `cuInit`.
pub fn started() -> Result<()> {
    match STARTED.load(Ordering::Relaxed) {
        true => Ok(()),
        false => Err(Code::INITIALIZATION),
    }
}

/// The current context of this thread.
pub fn current() -> Result<Arc<CudaDevice>> {
    started()?;
    let context = runtime().context().ok_or(Code::DEVICE_UNINITIALIZED)?;
    match context.check() {
        Err(Code::CONTEXT_IS_DESTROYED) => Err(Code::CONTEXT_IS_DESTROYED),
        _ => Ok(context),
    }
}

/// The handle of a context. That of a primary one is known as soon as the runtime's interface uses it.
pub fn handle(device: &Arc<CudaDevice>) -> usize {
    let handle = FIRST | device.id as usize;
    table().lock().entry(handle).or_insert_with(|| Context {
        device: device.clone(),
        users: 0,
        flags: 0,
        is_primary: true,
    });
    handle
}

/// The context of a handle.
pub fn context(handle: usize) -> Result<Context> {
    let context = table().lock().get(&handle).cloned();
    context.ok_or(Code::DEVICE_UNINITIALIZED)
}

/// Every context in use.
pub fn all() -> Vec<Arc<CudaDevice>> {
    let table = table().lock();
    let others = table.values().filter(|context| !context.is_primary);
    let others = others.map(|context| context.device.clone());
    let primary = runtime().devices_found().iter().cloned();
    primary.chain(others).collect()
}

/// Changes what is known of a context.
pub fn change<R>(handle: usize, change: impl FnOnce(&mut Context) -> R) -> Result<R> {
    let mut table = table().lock();
    let context = table.get_mut(&handle).ok_or(Code::DEVICE_UNINITIALIZED)?;
    Ok(change(context))
}

/// A new context of a device, which becomes current.
pub fn create(number: i32, flags: u32) -> Result<usize> {
    let handle = make(number, flags)?;
    push(context(handle)?.device);
    Ok(handle)
}

/// A new context of a device.
pub fn make(number: i32, flags: u32) -> Result<usize> {
    let primary = runtime().device_numbered(number)?;
    let device = Arc::new(CudaDevice::new(primary.number, primary.raw.clone()));
    let handle = FIRST | device.id as usize;
    let context = Context {
        device,
        users: 1,
        flags,
        is_primary: false,
    };
    table().lock().insert(handle, context);
    Ok(handle)
}

/// Destroys a context, with all that belongs to it. A thread in which it stays current gets an error.
pub fn destroy(handle: usize) -> Result<()> {
    let context = context(handle)?;
    if context.is_primary {
        return Err(Code::DEVICE_UNINITIALIZED);
    }
    table().lock().remove(&handle);
    let is_current = runtime()
        .context()
        .is_some_and(|current| current.id == context.device.id);
    if is_current {
        pop()?;
    }
    let freed = runtime().reset(&context.device);
    context.device.fail(Code::CONTEXT_IS_DESTROYED);
    freed
}

/// The primary context of a device.
pub fn primary(number: i32) -> Result<usize> {
    Ok(handle(runtime().device_numbered(number)?))
}

/// Makes a context current above the one that is.
pub fn push(device: Arc<CudaDevice>) {
    let before = runtime().set_context(Some(device));
    // What a program does when a thread ends may come after the end of this variable.
    let _ = BELOW.try_with(|below| below.borrow_mut().push(before));
}

/// Makes the context below the current one current.
pub fn pop() -> Result<Arc<CudaDevice>> {
    let below = BELOW.try_with(|below| below.borrow_mut().pop());
    let below = below.ok().flatten().flatten();
    runtime()
        .set_context(below)
        .ok_or(Code::DEVICE_UNINITIALIZED)
}

/// Replaces the current context; null takes it away.
pub fn set(handle: usize) -> Result<()> {
    match handle {
        0 => {
            // Nothing to take away is no error.
            let _ = pop();
        }
        _ => {
            runtime().set_context(Some(context(handle)?.device));
        }
    }
    Ok(())
}
