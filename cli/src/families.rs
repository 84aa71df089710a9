//! The families of devices, in the order in which programs number their devices.

use std::sync::Arc;

use omptarget_driver::{Failure, Result};
use plugin_api::Plugin;

/// A family of devices.
pub struct Family {
    /// Its name in `OMPTARGET_DEVICES`.
    pub name: &'static str,
    /// Its plugin, if it can be used.
    pub plugin: Option<Arc<dyn Plugin>>,
    /// Why it has no devices, or which devices it leaves out.
    pub left_out: Vec<String>,
    /// Whether its devices only stand in for GPUs.
    pub stands_in: bool,
}

impl Family {
    fn present(plugin: Arc<dyn Plugin>) -> Family {
        Family {
            name: plugin.name(),
            plugin: Some(plugin),
            left_out: Vec::new(),
            stands_in: false,
        }
    }
}

/// Opens all families.
pub fn all() -> Result<Vec<Family>> {
    let virtual_gpu = plugin_vgpu::plugin().map_err(|error| Failure::Other(error.to_string()))?;
    let (nvidia, nvidia_left_out) = match plugin_cuda::plugin() {
        Ok(found) => (Some(found.plugin), found.left_out),
        Err(why) => (None, vec![why.to_string()]),
    };
    let (amd, amd_left_out) = match plugin_amdgpu::plugin() {
        Ok(found) => (Some(found.plugin), found.left_out),
        Err(why) => (None, vec![why.to_string()]),
    };
    let gpus = |name, plugin, left_out| Family {
        name,
        plugin,
        left_out,
        stands_in: false,
    };
    Ok(vec![
        gpus("cuda", nvidia, nvidia_left_out),
        gpus("amdgpu", amd, amd_left_out),
        Family {
            stands_in: true,
            ..Family::present(virtual_gpu)
        },
        Family::present(plugin_host::plugin()),
    ])
}

/// The families that `OMPTARGET_DEVICES` names, or all.
pub fn wanted() -> Result<Vec<Family>> {
    let list = std::env::var("OMPTARGET_DEVICES").unwrap_or_default();
    let names: Vec<&str> = list.split(',').map(str::trim).collect();
    let mut families = all()?;
    if !list.is_empty() {
        families.retain(|family| names.contains(&family.name));
        // Whoever names the virtual GPU gets it beside others.
        families
            .iter_mut()
            .for_each(|family| family.stands_in = false);
    }
    Ok(families)
}
