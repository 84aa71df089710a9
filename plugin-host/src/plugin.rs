//! The plugin: as many host devices as LLVM's library has.

use std::sync::Arc;

use plugin_api::{Device, Plugin};

use crate::device::HostDevice;

/// The number of devices. The same as in LLVM, so that programs find the devices that they were tested with. All
/// share the cores.
const DEVICES: usize = 4;

struct HostPlugin {
    devices: Vec<Arc<HostDevice>>,
}

impl Plugin for HostPlugin {
    fn name(&self) -> &'static str {
        "host"
    }

    fn devices(&self) -> Vec<Arc<dyn Device>> {
        self.devices
            .iter()
            .map(|device| device.clone() as Arc<dyn Device>)
            .collect()
    }
}

/// The plugin. It is always available, as it needs no driver.
pub fn plugin() -> Arc<dyn Plugin> {
    Arc::new(HostPlugin {
        devices: (0..DEVICES).map(|_| Arc::new(HostDevice::new())).collect(),
    })
}
