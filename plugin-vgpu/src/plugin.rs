//! The plugin: the virtual GPUs of the process.

use std::sync::{Arc, OnceLock};

use plugin_api::{Device, Plugin};

use crate::config::Config;
use crate::device::VirtualGpu;

/// Why there is no virtual GPU in this process: for example, a setting is invalid or its addresses are taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unavailable(String);

struct VirtualGpuPlugin {
    devices: Vec<Arc<VirtualGpu>>,
}

impl Plugin for VirtualGpuPlugin {
    fn name(&self) -> &'static str {
        "vgpu"
    }

    fn devices(&self) -> Vec<Arc<dyn Device>> {
        let devices = self.devices.iter().cloned();
        devices.map(|device| device as Arc<dyn Device>).collect()
    }
}

/// The plugin, configured by the environment.
pub fn plugin() -> Result<Arc<dyn Plugin>, Unavailable> {
    static PLUGIN: OnceLock<Result<Arc<VirtualGpuPlugin>, Unavailable>> = OnceLock::new();
    let make = || {
        let config = Config::from_environment().map_err(Unavailable)?;
        let make = |_| VirtualGpu::new(&config).map(Arc::new);
        let devices: Result<Vec<_>, _> = (0..config.devices).map(make).collect();
        let devices = devices.map_err(|error| Unavailable(error.to_string()))?;
        Ok(Arc::new(VirtualGpuPlugin { devices }))
    };
    PLUGIN
        .get_or_init(make)
        .clone()
        .map(|plugin| plugin as Arc<dyn Plugin>)
}
