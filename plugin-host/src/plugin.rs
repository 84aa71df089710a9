//! The plugin: as many host devices as LLVM's library offers.

use std::sync::Arc;

use plugin_api::{Device, Plugin};

use crate::device::HostDevice;

/// Devices of this machine's CPU: LLVM's number, so that programs find the devices they were
/// tested with. All share the cores.
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

/// The plugin. It is always there: it needs no driver.
pub fn plugin() -> Arc<dyn Plugin> {
    Arc::new(HostPlugin {
        devices: (0..DEVICES).map(|_| Arc::new(HostDevice::new())).collect(),
    })
}
