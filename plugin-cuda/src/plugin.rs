//! The plugin: every GPU that the driver shows.

use std::ffi::c_int;
use std::sync::{Arc, OnceLock};

use vendor_driver::Found;

use crate::arch;
use crate::device::CudaDevice;
use crate::driver::{CuResult, Driver, DriverError, Failure};
use crate::gpu::Gpu;
use crate::properties::Properties;
use crate::settings::Settings;

/// Why there is no NVIDIA GPU in this process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// There is no driver, or none that the plugin can use.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The driver does not start: its message.
    #[error("the NVIDIA driver does not start: {0}")]
    Start(String),
    /// The driver shows no GPU, or none that the plugin can use: why not.
    #[error("{0}")]
    Device(String),
    /// A setting cannot be understood.
    #[error("{0}")]
    Setting(String),
}

/// Looks for the driver and its GPUs, configured by the environment.
pub fn plugin() -> Result<Found, Unavailable> {
    let settings = Settings::from_environment().map_err(Unavailable::Setting)?;
    let driver = driver()?;
    // SAFETY: there is no precondition.
    unsafe { driver.init(0) }.map_err(|failure| unavailable(driver, failure))?;
    let (devices, left_out) =
        devices(driver, &settings).map_err(|failure| unavailable(driver, failure))?;
    if devices.is_empty() {
        return Err(Unavailable::Device(match left_out.is_empty() {
            true => NO_GPU.into(),
            false => left_out.join("; "),
        }));
    }
    Ok(Found::new("cuda", devices, left_out))
}

const NO_GPU: &str = "the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES may hide them; `nvidia-smi -L` lists them)";

/// The driver's library. It stays open, because threads of the driver may be running.
fn driver() -> Result<&'static Driver, Unavailable> {
    static DRIVER: OnceLock<Result<Driver, DriverError>> = OnceLock::new();
    let driver = DRIVER.get_or_init(Driver::open).as_ref();
    Ok(driver.map_err(DriverError::clone)?)
}

fn unavailable(driver: &Driver, failure: Failure) -> Unavailable {
    if failure.result == CuResult::NO_DEVICE {
        return Unavailable::Device(NO_GPU.into());
    }
    let (name, text) = driver.describe(failure.result);
    Unavailable::Start(format!("{} gives {name} ({text})", failure.call))
}

type Devices = (Vec<Arc<CudaDevice>>, Vec<String>);

/// The GPUs that the plugin can use, and messages about the others.
fn devices(driver: &'static Driver, settings: &Settings) -> Result<Devices, Failure> {
    let mut count: c_int = 0;
    // SAFETY: `count` is writable.
    unsafe { driver.device_get_count(&mut count) }?;
    let (mut devices, mut left_out) = (Vec::new(), Vec::new());
    for ordinal in 0..count {
        let mut device = 0;
        // SAFETY: `device` is writable.
        unsafe { driver.device_get(&mut device, ordinal) }?;
        let properties = Properties::of(driver, device)?;
        if properties.arch.number < arch::OLDEST.number {
            left_out.push(format!(
                "{} is {}; the device runtime needs {} or newer",
                properties.info.name,
                properties.arch,
                arch::OLDEST
            ));
            continue;
        }
        let gpu = Gpu::new(driver, device, properties, settings.clone());
        devices.push(Arc::new(CudaDevice::new(gpu)));
    }
    Ok((devices, left_out))
}
