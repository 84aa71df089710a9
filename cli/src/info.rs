//! `omptarget info`: the devices a program would find.

use anstyle::Style;
use omptarget_driver::{Failure, Result};
use plugin_api::{DeviceInfo, Plugin};
use serde::Serialize;

/// Arguments of `omptarget info`.
#[derive(clap::Args)]
pub struct Options {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One device as `--json` shows it.
#[derive(Serialize)]
struct Entry {
    number: usize,
    plugin: &'static str,
    name: String,
    architecture: String,
    multiprocessors: u32,
    warp_size: u32,
    max_threads_per_block: u32,
    max_shared_memory: u32,
    memory: u64,
}

impl Entry {
    fn new(number: usize, plugin: &dyn Plugin, info: &DeviceInfo) -> Entry {
        Entry {
            number,
            plugin: plugin.name(),
            name: info.name.clone(),
            architecture: info.arch.clone(),
            multiprocessors: info.multiprocessors,
            warp_size: info.warp_size,
            max_threads_per_block: info.max_threads_per_block,
            max_shared_memory: info.max_shared_memory,
            memory: info.total_memory,
        }
    }
}

/// Lists the devices.
pub fn info(options: &Options) -> Result<()> {
    let virtual_gpu = plugin_vgpu::plugin().map_err(|error| Failure::Other(error.to_string()))?;
    let (nvidia, nvidia_left_out) = match plugin_cuda::plugin() {
        Ok(found) => (Some(found.plugin), found.left_out),
        Err(why) => (None, vec![why.to_string()]),
    };
    let (amd, amd_left_out) = match plugin_amdgpu::plugin() {
        Ok(found) => (Some(found.plugin), found.left_out),
        Err(why) => (None, vec![why.to_string()]),
    };
    let gpus = nvidia.into_iter().chain(amd);
    let plugins = gpus.chain([virtual_gpu, plugin_host::plugin()]);
    let entries: Vec<Entry> = plugins
        .flat_map(|plugin| entries(plugin.as_ref()))
        .collect();
    if options.json {
        anstream::println!(
            "{}",
            serde_json::to_string_pretty(&entries).expect("plain data becomes JSON")
        );
        return Ok(());
    }
    for entry in &entries {
        print(entry);
    }
    for (family, left_out) in [("cuda", nvidia_left_out), ("amdgpu", amd_left_out)] {
        for why in left_out {
            anstream::println!("{family}: {why}");
        }
    }
    Ok(())
}

/// A plugin's devices. A program numbers those that it has images for, in this order.
fn entries(plugin: &dyn Plugin) -> Vec<Entry> {
    let devices = plugin.devices();
    let numbered = devices.iter().enumerate();
    numbered
        .map(|(number, device)| Entry::new(number, plugin, device.info()))
        .collect()
}

fn print(entry: &Entry) {
    let bold = Style::new().bold();
    let architecture = if entry.architecture.is_empty() {
        "any"
    } else {
        &entry.architecture
    };
    anstream::println!(
        "{bold}{} {}: {}{bold:#}",
        entry.plugin,
        entry.number,
        entry.name
    );
    anstream::println!("  architecture        {architecture}");
    anstream::println!("  multiprocessors     {}", entry.multiprocessors);
    anstream::println!("  warp size           {}", entry.warp_size);
    anstream::println!("  threads per block   {}", entry.max_threads_per_block);
    anstream::println!(
        "  shared memory       {} per block",
        size(entry.max_shared_memory.into())
    );
    anstream::println!("  memory              {}", size(entry.memory));
}

/// Bytes for people: `11.7 GiB`, `48 KiB`, `100 bytes`.
pub fn size(bytes: u64) -> String {
    for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes >= 1 << shift {
            let text = format!("{:.1}", bytes as f64 / (1u64 << shift) as f64);
            return format!("{} {unit}", text.trim_end_matches(".0"));
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes() {
        assert_eq!(size(0), "0 bytes");
        assert_eq!(size(1023), "1023 bytes");
        assert_eq!(size(48 << 10), "48 KiB");
        assert_eq!(size((3 << 20) / 2), "1.5 MiB");
        assert_eq!(size(u64::MAX), "17179869184 GiB");
    }
}
