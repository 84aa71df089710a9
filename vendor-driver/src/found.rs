//! The GPUs that a driver shows.

use std::sync::Arc;

use plugin_api::{Device, Plugin};

/// What a search for a driver's GPUs finds.
pub struct Found {
    /// The GPUs that the plugin can use: at least one.
    pub plugin: Arc<dyn Plugin>,
    /// A message for each GPU that the plugin cannot use.
    pub left_out: Vec<String>,
}

impl Found {
    /// Of the plugin called `name`.
    pub fn new(
        name: &'static str,
        devices: Vec<Arc<impl Device + 'static>>,
        left_out: Vec<String>,
    ) -> Found {
        left_out.iter().for_each(|why| log::debug!("{why}"));
        let devices = devices.into_iter().map(|device| device as Arc<dyn Device>);
        Found {
            plugin: Arc::new(Gpus {
                name,
                devices: devices.collect(),
            }),
            left_out,
        }
    }
}

struct Gpus {
    name: &'static str,
    devices: Vec<Arc<dyn Device>>,
}

impl Plugin for Gpus {
    fn name(&self) -> &'static str {
        self.name
    }

    fn devices(&self) -> Vec<Arc<dyn Device>> {
        self.devices.clone()
    }
}
