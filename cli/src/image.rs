//! `omptarget image`: the device images a file carries.

use std::path::{Path, PathBuf};

use anstyle::Style;
use codegen::{Compiler, PtxOptions};
use device_image::ImageKind;
use omptarget_driver::{Failure, Result};
use serde::Serialize;
use vgpu_abi::summary::{ExecutionMode, ImageSummary, KernelSummary};

use crate::info::size;
use crate::program_file::{Found, find};

/// Arguments of `omptarget image`.
#[derive(clap::Args)]
pub struct Options {
    /// Program, shared library, object, archive or image
    file: PathBuf,
    /// Print JSON
    #[arg(long, conflicts_with = "ptx")]
    json: bool,
    /// Print the file's image as PTX for an architecture, for example sm_80; the file must carry one image of bitcode
    #[arg(long, value_name = "ARCH")]
    ptx: Option<String>,
    /// Write each image to a file of its own in a folder: NUMBER.ARCHITECTURE.bc, .cubin, .o, .ptx or .fatbin
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["ptx", "json"])]
    extract: Option<PathBuf>,
}

/// One image as `--json` shows it.
#[derive(Serialize)]
struct Entry {
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<String>,
    triple: String,
    architecture: String,
    kind: &'static str,
    size: usize,
    #[serde(flatten)]
    contents: Option<Contents>,
}

/// What bitcode holds.
#[derive(Serialize)]
struct Contents {
    warp_size: u32,
    /// The release of this project that its device runtime is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    runtime_release: Option<String>,
    kernels: Vec<Kernel>,
    globals: Vec<Global>,
}

#[derive(Serialize)]
struct Kernel {
    name: String,
    mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_threads: Option<u32>,
}

#[derive(Serialize)]
struct Global {
    name: String,
    size: u64,
}

/// Shows a file's images.
pub fn image(options: &Options) -> Result<()> {
    let file = options.file.display().to_string();
    let wrong = |why: String| Failure::File {
        file: file.clone(),
        why,
    };
    let data =
        std::fs::read(&options.file).map_err(Failure::system(format!("cannot read {file}")))?;
    let found = find(&data).map_err(wrong)?;
    if let Some(architecture) = &options.ptx {
        anstream::print!("{}", ptx(&found, architecture).map_err(wrong)?);
        return Ok(());
    }
    if let Some(folder) = &options.extract {
        return extract(&found, folder);
    }
    let entries = found
        .iter()
        .map(describe)
        .collect::<std::result::Result<Vec<_>, _>>()
        .map_err(wrong)?;
    if options.json {
        anstream::println!(
            "{}",
            serde_json::to_string_pretty(&entries).expect("plain data becomes JSON")
        );
        return Ok(());
    }
    if entries.is_empty() {
        anstream::println!("{file} carries no device images");
    }
    entries.iter().for_each(print);
    Ok(())
}

/// Writes the images to files, and prints the files' names.
fn extract(found: &[Found<'_>], folder: &Path) -> Result<()> {
    let shown = folder.display();
    std::fs::create_dir_all(folder).map_err(Failure::system(format!("cannot make {shown}")))?;
    for (number, Found { image, .. }) in found.iter().enumerate() {
        let suffix = match image.kind {
            ImageKind::Bitcode => "bc",
            ImageKind::Object if image.triple.starts_with("nvptx64") => "cubin",
            ImageKind::Object => "o",
            ImageKind::Ptx => "ptx",
            ImageKind::Fatbinary => "fatbin",
        };
        let arch = [image.arch, "image"]
            .into_iter()
            .find(|name| !name.is_empty());
        // Features of AMD's architectures (gfx90a:xnack+) are fine in file names, but slashes are not.
        let arch = arch.unwrap_or_default().replace('/', "_");
        let path = folder.join(format!("{number}.{arch}.{suffix}"));
        std::fs::write(&path, image.bytes)
            .map_err(Failure::system(format!("cannot write {}", path.display())))?;
        anstream::println!("{}", path.display());
    }
    Ok(())
}

fn describe(found: &Found<'_>) -> std::result::Result<Entry, String> {
    let image = &found.image;
    let summary = match image.kind {
        ImageKind::Bitcode => Some(
            compiler()?
                .inspect(image.bytes)
                .map_err(|error| error.to_string())?,
        ),
        _ => None,
    };
    let or = |first: &str, second: Option<&String>| match (first, second) {
        ("", Some(second)) => second.clone(),
        _ => first.to_owned(),
    };
    Ok(Entry {
        member: found.member.clone(),
        triple: or(
            image.triple,
            summary.as_ref().map(|summary| &summary.triple),
        ),
        architecture: or(image.arch, summary.as_ref().map(|summary| &summary.cpu)),
        kind: kind(image.kind),
        size: image.bytes.len(),
        contents: summary.map(Contents::new),
    })
}

impl Contents {
    fn new(summary: ImageSummary) -> Contents {
        let kernel = |kernel: KernelSummary| Kernel {
            name: kernel.name,
            mode: match kernel.mode {
                ExecutionMode::Generic => "generic",
                ExecutionMode::Spmd => "SPMD",
                ExecutionMode::GenericSpmd => "generic-SPMD",
                ExecutionMode::Bare => "bare",
            },
            max_threads: kernel.max_threads,
        };
        Contents {
            warp_size: summary.warp_size,
            runtime_release: summary.runtime_release,
            kernels: summary.kernels.into_iter().map(kernel).collect(),
            globals: summary
                .globals
                .into_iter()
                .map(|global| Global {
                    name: global.name,
                    size: global.size,
                })
                .collect(),
        }
    }
}

fn ptx(found: &[Found<'_>], architecture: &str) -> std::result::Result<String, String> {
    let image = match found {
        [Found { image, .. }] => image,
        // Machine code made ahead of time lies beside its bitcode.
        _ => {
            let is_bitcode = |found: &&Found<'_>| found.image.kind == ImageKind::Bitcode;
            let bitcode: Vec<_> = found.iter().filter(is_bitcode).collect();
            let [Found { image, .. }] = bitcode[..] else {
                return Err(format!(
                    "{} device images, {} of them bitcode, but --ptx needs exactly one",
                    found.len(),
                    bitcode.len()
                ));
            };
            image
        }
    };
    match image.kind {
        ImageKind::Ptx => Ok(String::from_utf8_lossy(image.bytes).into_owned()),
        ImageKind::Bitcode => {
            let options = PtxOptions {
                arch: architecture.to_owned(),
                level: 2,
            };
            compiler()?
                .ptx(image.bytes, &options)
                .map_err(|error| error.to_string())
        }
        other => Err(format!(
            "the image is machine code ({}), from which there is no way back to PTX",
            kind(other)
        )),
    }
}

fn compiler() -> std::result::Result<Compiler, String> {
    Compiler::locate().map_err(|error| error.to_string())
}

fn kind(kind: ImageKind) -> &'static str {
    match kind {
        ImageKind::Bitcode => "bitcode",
        ImageKind::Object => "object",
        ImageKind::Ptx => "PTX",
        ImageKind::Fatbinary => "fat binary",
    }
}

fn print(entry: &Entry) {
    let bold = Style::new().bold();
    let or_unknown = |text: &str| {
        if text.is_empty() {
            "unknown".to_owned()
        } else {
            text.to_owned()
        }
    };
    let member = entry
        .member
        .as_ref()
        .map(|name| format!("{name}: "))
        .unwrap_or_default();
    let warps = match &entry.contents {
        Some(contents) if contents.warp_size != 0 => {
            format!(", warps of {} lanes", contents.warp_size)
        }
        _ => String::new(),
    };
    anstream::println!(
        "{bold}{member}{} for {} ({}){warps}, {}{bold:#}",
        entry.kind,
        or_unknown(&entry.triple),
        or_unknown(&entry.architecture),
        size(entry.size as u64)
    );
    let Some(contents) = &entry.contents else {
        return;
    };
    if let Some(release) = &contents.runtime_release {
        let own = env!("CARGO_PKG_VERSION");
        let other = if release == own {
            String::new()
        } else {
            format!(" (this is {own})")
        };
        anstream::println!("  device runtime of omptarget {release}{other}");
    }
    for kernel in &contents.kernels {
        anstream::println!("  kernel {}  {}", kernel.name, kernel.mode);
    }
    for global in &contents.globals {
        anstream::println!("  global {}  {}", global.name, size(global.size));
    }
}
