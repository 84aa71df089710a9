//! `omptarget info`: the devices a program would find.

use std::path::{Path, PathBuf};

use anstyle::Style;
use device_families::{Family, judge};
use omptarget_driver::{Failure, Result, dist};
use plugin_api::DeviceInfo;
use serde::Serialize;

use crate::program_file;
use crate::wanted_families::{all, wanted};

/// Arguments of `omptarget info`.
#[derive(clap::Args)]
pub struct Options {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// A program or shared library: list the devices on which it would run, with their OpenMP numbers, and say why it
    /// would not use the others
    program: Option<PathBuf>,
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
    /// The device's number in the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    omp_number: Option<u32>,
    /// Why the program would not use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<String>,
}

impl Entry {
    fn new(number: usize, plugin: &'static str, info: &DeviceInfo) -> Entry {
        Entry {
            number,
            plugin,
            name: info.name.clone(),
            architecture: info.arch.clone(),
            multiprocessors: info.multiprocessors,
            warp_size: info.warp_size,
            max_threads_per_block: info.max_threads_per_block,
            max_shared_memory: info.max_shared_memory,
            memory: info.total_memory,
            omp_number: None,
            why_not: None,
        }
    }
}

/// Lists the devices.
pub fn info(options: &Options) -> Result<()> {
    let families = match &options.program {
        Some(_) => wanted()?,
        None => all()?,
    };
    let entries = match &options.program {
        Some(file) => entries_for(file, &families)?,
        None => families.iter().flat_map(entries).collect(),
    };
    if options.json {
        anstream::println!(
            "{}",
            serde_json::to_string_pretty(&entries).expect("plain data becomes JSON")
        );
        return Ok(());
    }
    let runs = |entry: &&Entry| entry.why_not.is_none();
    entries.iter().filter(runs).for_each(print);
    print_unused(entries.iter().filter(|entry| !runs(entry)));
    for family in &families {
        let unused = match family.open(|_| ()) {
            Ok(opened) => opened.left_out.iter().map(String::as_str).collect(),
            Err(absence) => vec![absence.why()],
        };
        for why in unused {
            anstream::println!("{}: {why}", family.name());
        }
    }
    // Of a program it is known what it is.
    if options.program.is_none()
        && let Ok(vendors) = dist::file("etc/OpenCL/vendors")
    {
        anstream::println!("OpenCL: with OCL_ICD_VENDORS={}", vendors.display());
    }
    Ok(())
}

/// A family's devices. A program numbers those that it has images for, in this order.
fn entries(family: &Family) -> Vec<Entry> {
    let opened = family.open(|_| ()).into_iter();
    let devices = opened.flat_map(|opened| opened.plugin.devices());
    let numbered = devices.enumerate();
    numbered
        .map(|(number, device)| Entry::new(number, family.name(), device.info()))
        .collect()
}

/// All devices, and why a program would not use them.
fn entries_for(file: &Path, families: &[Family]) -> Result<Vec<Entry>> {
    let shown = file.display();
    let data = std::fs::read(file).map_err(Failure::system(format!("cannot read {shown}")))?;
    let found = program_file::find(&data).map_err(|why| Failure::File {
        file: shown.to_string(),
        why,
    })?;
    let images: Vec<_> = found.into_iter().map(|found| found.image).collect();
    let verdicts = judge(families, &images).into_iter();
    let mut used = 0..;
    let entry = verdicts.map(|verdict| Entry {
        omp_number: verdict.runs().then(|| used.next()).flatten(),
        why_not: verdict.image.err(),
        ..Entry::new(verdict.index, verdict.family, verdict.device.info())
    });
    Ok(entry.collect())
}

/// Says why devices are not used, once for equal ones of a family.
fn print_unused<'a>(entries: impl Iterator<Item = &'a Entry>) {
    let mut groups: Vec<(&Entry, Vec<String>)> = Vec::new();
    for entry in entries {
        let what = |entry: &'a Entry| (entry.plugin, &entry.name, &entry.why_not);
        match groups.last_mut() {
            Some((first, numbers)) if what(first) == what(entry) => {
                numbers.push(entry.number.to_string());
            }
            _ => groups.push((entry, vec![entry.number.to_string()])),
        }
    }
    for (entry, numbers) in groups {
        let numbers = numbers.join(", ");
        let why = entry.why_not.as_deref().unwrap_or_default();
        anstream::println!(
            "{} {numbers}, {}: not used, {why}",
            entry.plugin,
            entry.name
        );
    }
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
    if let Some(number) = entry.omp_number {
        anstream::println!("  OpenMP device       {number}");
    }
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
