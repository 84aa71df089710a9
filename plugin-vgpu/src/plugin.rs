//! The plugin: one virtual GPU per process.

use std::fmt;
use std::sync::{Arc, OnceLock};

use plugin_api::{Device, Plugin};

use crate::config::Config;
use crate::device::VirtualGpu;

/// Why there is no virtual GPU in this process: a setting that cannot be understood, addresses that
/// are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable(String);

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unavailable {}

struct VirtualGpuPlugin {
    device: Arc<VirtualGpu>,
}

impl Plugin for VirtualGpuPlugin {
    fn name(&self) -> &'static str {
        "vgpu"
    }

    fn devices(&self) -> Vec<Arc<dyn Device>> {
        vec![self.device.clone()]
    }
}

/// The plugin, set up as the environment says.
pub fn plugin() -> Result<Arc<dyn Plugin>, Unavailable> {
    static PLUGIN: OnceLock<Result<Arc<VirtualGpuPlugin>, Unavailable>> = OnceLock::new();
    let make = || {
        let config = Config::from_environment().map_err(Unavailable)?;
        let device = VirtualGpu::new(&config).map_err(|error| Unavailable(error.to_string()))?;
        Ok(Arc::new(VirtualGpuPlugin {
            device: Arc::new(device),
        }))
    };
    PLUGIN
        .get_or_init(make)
        .clone()
        .map(|plugin| plugin as Arc<dyn Plugin>)
}
