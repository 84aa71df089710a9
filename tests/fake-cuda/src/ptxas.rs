//! The driver's compiler: NVIDIA's assembler.

use std::path::Path;
use std::process::Command;

use crate::call::settings;
use crate::device::Device;
use crate::result::{Failure, Outcome};

/// The version of PTX that came with each CUDA (PTX ISA, "Release Notes"). Since 11.3 the minor numbers are
/// equal, with these exceptions.
fn newest_ptx(cuda: u32) -> (u32, u32) {
    match (cuda / 1000, cuda % 1000 / 10) {
        (11, minor) => (7, minor),
        (12, minor @ 0..=5) => (8, minor),
        // 12.6 brought no new version: 12.6 has 8.5, and 12.9 has 8.8.
        (12, minor) => (8, minor - 1),
        (13, minor) => (9, minor),
        (major, _) if major < 11 => (6, 5),
        _ => (9, 9),
    }
}

/// The version in PTX text.
fn version(ptx: &str) -> Option<(u32, u32)> {
    let line = ptx
        .lines()
        .find_map(|line| line.strip_prefix(".version "))?;
    let (major, minor) = line.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Assembles PTX for a device. The assembler's messages go to `log`.
pub fn check(ptx: &str, device: &Device, log: &mut String) -> Outcome {
    let version = version(ptx).ok_or(Failure::INVALID_PTX)?;
    if version > newest_ptx(settings()?.version) {
        return Err(Failure::UNSUPPORTED_PTX_VERSION);
    }
    let Some(ptxas) = &settings()?.ptxas else {
        return Ok(());
    };
    let (accepted, output) = assemble(ptxas, ptx, device.capability).map_err(|error| {
        eprintln!("fake CUDA driver: {}: {error}", ptxas.display());
        Failure::OPERATING_SYSTEM
    })?;
    *log = output;
    accepted.then_some(()).ok_or(Failure::INVALID_PTX)
}

fn assemble(ptxas: &Path, ptx: &str, (major, minor): (u8, u8)) -> std::io::Result<(bool, String)> {
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("module.ptx");
    std::fs::write(&source, ptx)?;
    let mut command = Command::new(ptxas);
    command.args(["-arch", &format!("sm_{major}{minor}"), "-o"]);
    let output = command
        .arg(folder.path().join("module.cubin"))
        .arg(&source)
        .output()?;
    let log = [output.stdout, output.stderr].concat();
    let log = String::from_utf8_lossy(&log).into_owned();
    Ok((output.status.success(), log))
}
