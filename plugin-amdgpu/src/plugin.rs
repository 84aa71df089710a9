//! The plugin: every GPU that the runtime shows.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use vendor_driver::Found;

use crate::device::AmdDevice;
use crate::driver::{Driver, DriverError, Failure, HsaStatus};
use crate::gpu::Gpu;
use crate::pools::device_pools;
use crate::properties::{Properties, identity};
use crate::runtime::Runtime;
use crate::settings::Settings;

/// Why there is no AMD GPU in this process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// There is no runtime, or none that the plugin can use.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The runtime does not start: its message.
    #[error("the AMD driver does not start: {0}")]
    Start(String),
    /// The runtime shows no GPU, or none that the plugin can use: why not.
    #[error("{0}")]
    Device(String),
    /// A setting cannot be understood.
    #[error("{0}")]
    Setting(String),
}

/// Looks for the runtime and its GPUs, configured by the environment. `insist`: also where no file in `/dev` says that
/// there may be a GPU.
///
/// To load the runtime and to hear from it that there is no GPU takes three times the CPU time of a short program.
pub fn plugin(insist: bool) -> Result<Found, Unavailable> {
    let settings = Settings::from_environment().map_err(Unavailable::Setting)?;
    if !insist && !{ KERNEL_DRIVERS.iter() }.any(|file| Path::new(file).exists()) {
        return Err(Unavailable::Device(NO_DRIVER.into()));
    }
    let driver = driver()?;
    let unavailable = |failure| unavailable(driver, failure);
    let runtime = Runtime::start(driver).map_err(unavailable)?;
    let runtime = runtime.ok_or_else(|| Unavailable::Device(NO_GPU.into()))?;
    let (devices, left_out) = devices(&runtime, &settings).map_err(unavailable)?;
    if devices.is_empty() {
        return Err(Unavailable::Device(left_out.join("; ")));
    }
    Ok(Found::new("amdgpu", devices, left_out))
}

/// By which the runtime reaches GPUs: on Linux, and on Linux under Windows.
const KERNEL_DRIVERS: [&str; 2] = ["/dev/kfd", "/dev/dxg"];

const NO_DRIVER: &str =
    "there is no AMD GPU, or no access to it (/dev/kfd; the groups `render` and `video` have it)";

const NO_GPU: &str =
    "the AMD driver shows no GPU (ROCR_VISIBLE_DEVICES may hide them; `rocminfo` lists them)";

/// The runtime's library. It stays open, because threads of the runtime may be running.
fn driver() -> Result<&'static Driver, Unavailable> {
    static DRIVER: OnceLock<Result<Driver, DriverError>> = OnceLock::new();
    let driver = DRIVER.get_or_init(Driver::open).as_ref();
    Ok(driver.map_err(DriverError::clone)?)
}

fn unavailable(driver: &Driver, failure: Failure) -> Unavailable {
    // On a machine without AMD's kernel driver, or whose driver the user may not open.
    if failure.call == "hsa_init" && failure.result == HsaStatus::OUT_OF_RESOURCES {
        return Unavailable::Device(NO_DRIVER.into());
    }
    let (name, text) = driver.describe(failure.result);
    Unavailable::Start(format!("{} gives {name} ({text})", failure.call))
}

type Devices = (Vec<Arc<AmdDevice>>, Vec<String>);

/// The GPUs that the plugin can use, and messages about the others.
fn devices(runtime: &Arc<Runtime>, settings: &Settings) -> Result<Devices, Failure> {
    let driver = runtime.driver;
    let (mut devices, mut left_out) = (Vec::new(), Vec::new());
    for &agent in &runtime.gpus {
        let (name, arch) = identity(driver, agent)?;
        let Some(arch) = arch.filter(|arch| arch.is_supported()) else {
            left_out.push(format!(
                "{name} is no GPU that the device runtime knows: it needs gfx900 or newer"
            ));
            continue;
        };
        let Some(pools) = device_pools(driver, agent)? else {
            left_out.push(format!("{name} has no memory that can be allocated"));
            continue;
        };
        let properties = Properties::of(driver, agent, name, arch, pools)?;
        let gpu = Gpu::new(runtime.clone(), agent, properties, settings.clone());
        devices.push(Arc::new(AmdDevice::new(gpu)));
    }
    Ok((devices, left_out))
}
