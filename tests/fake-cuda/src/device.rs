//! The devices. Each is a virtual GPU, which is created with its context.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use plugin_vgpu::VirtualGpu;

use crate::call::settings;
use crate::context::Context;
use crate::result::{Failure, Outcome};
use fake_driver::handle::{self, Handle};

/// Shared memory of a block without opt-in (compute capability 5.0 and later).
pub const DEFAULT_SHARED: u32 = 48 << 10;

/// A device.
pub struct Device {
    /// Its ordinal.
    pub number: usize,
    /// Compute capability.
    pub capability: (u8, u8),
    /// Its memory pool's handle.
    pub pool: Handle,
    gpu: OnceLock<Outcome<Arc<VirtualGpu>>>,
    primary: Mutex<Primary>,
}

/// The context that the whole process shares.
#[derive(Default)]
struct Primary {
    retained: u32,
    context: Option<(Handle, Arc<Context>)>,
}

/// The pool that `cuDeviceGetDefaultMemPool` gives. It keeps nothing: freed memory goes back to the device.
pub struct Pool;

fn devices() -> Outcome<&'static [Arc<Device>]> {
    static DEVICES: OnceLock<Vec<Arc<Device>>> = OnceLock::new();
    let capabilities = &settings()?.capabilities;
    let make = |(number, &capability): (usize, &(u8, u8))| {
        Arc::new(Device {
            number,
            capability,
            pool: handle::add(Arc::new(Pool)),
            gpu: OnceLock::new(),
            primary: Mutex::default(),
        })
    };
    Ok(DEVICES.get_or_init(|| capabilities.iter().enumerate().map(make).collect()))
}

/// The number of devices.
pub fn count() -> Outcome<usize> {
    Ok(devices()?.len())
}

/// A device by its number.
pub fn get(number: i32) -> Outcome<Arc<Device>> {
    let index = usize::try_from(number).map_err(|_| Failure::INVALID_DEVICE)?;
    devices()?
        .get(index)
        .cloned()
        .ok_or(Failure::INVALID_DEVICE)
}

/// The configuration of the virtual GPU behind each device, from `OMPTARGET_VGPU_*`.
pub fn description() -> Outcome<plugin_vgpu::Config> {
    plugin_vgpu::Config::from_environment().map_err(report)
}

fn report(why: String) -> Failure {
    eprintln!("fake CUDA driver: {why}");
    Failure::OPERATING_SYSTEM
}

impl Device {
    /// The virtual GPU behind it.
    pub fn gpu(&self) -> Outcome<Arc<VirtualGpu>> {
        let make = || {
            let gpu = VirtualGpu::new(&description()?);
            gpu.map(Arc::new).map_err(|error| report(error.to_string()))
        };
        self.gpu.get_or_init(make).clone()
    }

    /// `cuDevicePrimaryCtxRetain`.
    pub fn retain(self: &Arc<Self>) -> Outcome<Handle> {
        let mut primary = self.primary();
        if primary.context.is_none() {
            let context = Context::new(self.clone(), self.gpu()?);
            primary.context = Some((handle::add(context.clone()), context));
        }
        primary.retained += 1;
        let made = primary.context.as_ref().map(|(handle, _)| *handle);
        Ok(made.expect("it was made if there was none"))
    }

    /// `cuDevicePrimaryCtxRelease`. The last release destroys the context.
    pub fn release(&self) -> Outcome {
        let mut primary = self.primary();
        if primary.retained == 0 {
            return Err(Failure::INVALID_CONTEXT);
        }
        primary.retained -= 1;
        if primary.retained == 0
            && let Some((handle, context)) = primary.context.take()
        {
            context.destroy();
            handle::remove::<Context>(handle)?;
        }
        Ok(())
    }

    fn primary(&self) -> parking_lot::MutexGuard<'_, Primary> {
        self.primary.lock()
    }
}
