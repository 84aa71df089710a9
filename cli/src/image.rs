//! `omptarget image`: the device images a file carries.
//!
//! clang puts images, wrapped in its `OffloadBinary` container, into the ELF section `.llvm.offloading`:
//! one per translation unit in an object, one linked one in a program or shared library. An archive has
//! objects. A file may also be an image itself.

use std::path::PathBuf;

use anstyle::Style;
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};
use plugin_api::{Image, ImageKind};
use serde::Serialize;

use crate::failure::{Failure, Result};
use crate::info::size;

const SECTION: &str = ".llvm.offloading";

/// Arguments of `omptarget image`.
#[derive(clap::Args)]
pub struct Options {
    /// Program, shared library, object, archive or image
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
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
    kernels: Vec<Kernel>,
    globals: Vec<Global>,
}

#[derive(Serialize)]
struct Kernel {
    name: String,
    mode: String,
}

#[derive(Serialize)]
struct Global {
    name: String,
    size: u64,
}

/// Shows a file's images.
pub fn image(options: &Options) -> Result<()> {
    let file = options.file.display().to_string();
    let data =
        std::fs::read(&options.file).map_err(Failure::system(format!("cannot read {file}")))?;
    let entries = entries(&data, None).map_err(|why| Failure::File {
        file: file.clone(),
        why,
    })?;
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
    for entry in &entries {
        print(entry);
    }
    Ok(())
}

/// The images in an ELF file, an archive of them, or the image the bytes are.
fn entries(data: &[u8], member: Option<&str>) -> std::result::Result<Vec<Entry>, String> {
    if data.starts_with(b"!<arch>\n") || data.starts_with(b"!<thin>\n") {
        return archive_entries(data);
    }
    if !data.starts_with(b"\x7fELF") {
        return described(data, member);
    }
    let elf = object::File::parse(data).map_err(|error| error.to_string())?;
    let mut entries = Vec::new();
    for section in elf
        .sections()
        .filter(|section| section.name().is_ok_and(|name| name.starts_with(SECTION)))
    {
        let content = section
            .data()
            .map_err(|error| format!("section {SECTION}: {error}"))?;
        entries.extend(described(content, member)?);
    }
    Ok(entries)
}

fn archive_entries(data: &[u8]) -> std::result::Result<Vec<Entry>, String> {
    let archive = ArchiveFile::parse(data).map_err(|error| error.to_string())?;
    if archive.is_thin() {
        return Err("thin archive: it names its members, look at those".into());
    }
    let mut all = Vec::new();
    for member in archive.members() {
        let member = member.map_err(|error| error.to_string())?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let content = member
            .data(data)
            .map_err(|error| format!("member {name}: {error}"))?;
        all.extend(entries(content, Some(&name)).map_err(|why| format!("member {name}: {why}"))?);
    }
    Ok(all)
}

fn described(data: &[u8], member: Option<&str>) -> std::result::Result<Vec<Entry>, String> {
    let images = Image::parse(data).map_err(|error| error.to_string())?;
    images.iter().map(|image| describe(image, member)).collect()
}

fn describe(image: &Image<'_>, member: Option<&str>) -> std::result::Result<Entry, String> {
    Ok(Entry {
        member: member.map(str::to_owned),
        triple: image.triple.to_owned(),
        architecture: image.arch.to_owned(),
        kind: kind(image.kind),
        size: image.bytes.len(),
        contents: None,
    })
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
    anstream::println!(
        "{bold}{member}{} for {} ({}), {}{bold:#}",
        entry.kind,
        or_unknown(&entry.triple),
        or_unknown(&entry.architecture),
        size(entry.size as u64)
    );
    let Some(contents) = &entry.contents else {
        return;
    };
    for kernel in &contents.kernels {
        anstream::println!("  kernel {}  {}", kernel.name, kernel.mode);
    }
    for global in &contents.globals {
        anstream::println!("  global {}  {}", global.name, size(global.size));
    }
}
