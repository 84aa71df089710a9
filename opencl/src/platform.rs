//! The platform: the devices of one family, NVIDIA's GPUs or else virtual ones. Both take the bitcode that OpenCL
//! programs become.

use std::sync::{Arc, OnceLock};

use device_families::{Absence, VARIABLE, families, names, unknown};

use crate::device::Device;
use crate::handle::{Ref, create};
use crate::kind;
use crate::message::report;

/// The families whose devices take the programs' bitcode.
const FAMILIES: [&str; 2] = ["cuda", "vgpu"];

/// The platform.
pub struct Platform {
    devices: OnceLock<Vec<Ref<Device>>>,
}

kind!(Platform, INVALID_PLATFORM);

/// The platform of the process.
pub fn platform() -> &'static Ref<Platform> {
    static PLATFORM: OnceLock<Ref<Platform>> = OnceLock::new();
    PLATFORM.get_or_init(|| {
        findings::summarise_at_exit();
        create(Platform {
            devices: OnceLock::new(),
        })
    })
}

impl Platform {
    /// The devices; the first call finds them.
    pub fn devices(&self) -> &[Ref<Device>] {
        self.devices.get_or_init(find)
    }
}

fn find() -> Vec<Ref<Device>> {
    let wanted = names(&std::env::var(VARIABLE).unwrap_or_default());
    if let Some(complaint) = unknown(&wanted) {
        report("a setting cannot be understood", &complaint);
    }
    let mut devices: Vec<Arc<dyn plugin_api::Device>> = Vec::new();
    for family in families(&wanted) {
        let serves = FAMILIES.contains(&family.name());
        if !serves || (family.stands_in() && !devices.is_empty()) {
            continue;
        }
        let warn = |absence: &Absence| {
            if let Absence::Unusual(why) = absence {
                report("devices are left out", why);
            }
        };
        if let Ok(opened) = family.open(warn) {
            devices.extend(opened.plugin.devices());
        }
    }
    devices
        .into_iter()
        .map(|raw| create(Device::new(raw)))
        .collect()
}
