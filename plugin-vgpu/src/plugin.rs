//! The plugin: one virtual GPU per process.

use std::sync::{Arc, OnceLock};

use plugin_api::{Device, Error, Plugin, Result};

use crate::config::Config;
use crate::device::VirtualGpu;

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

/// The plugin, set up as the environment says. An error names what stands in the way: a setting that
/// cannot be understood, addresses that are taken.
pub fn plugin() -> Result<Arc<dyn Plugin>> {
    static PLUGIN: OnceLock<std::result::Result<Arc<VirtualGpuPlugin>, String>> = OnceLock::new();
    let made = PLUGIN.get_or_init(|| {
        let config = Config::from_environment()?;
        let device = VirtualGpu::new(&config).map_err(|error| error.to_string())?;
        Ok(Arc::new(VirtualGpuPlugin {
            device: Arc::new(device),
        }))
    });
    match made {
        Ok(plugin) => Ok(plugin.clone()),
        Err(why) => Err(Error::Load(why.clone())),
    }
}
