//! Code objects: ELF files with kernels for one architecture.

use std::collections::BTreeMap;

use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind, elf};

use crate::metadata::{self, KernelMetadata};

/// In `.comment`; the SHA-256 of the image follows (`codegen::PROVENANCE`).
const PROVENANCE: &str = "omptarget: of the image with SHA-256 ";
/// `ELFOSABI_AMDGPU_HSA`
const HSA_ABI: elf::OsAbi = elf::OsAbi(64);
/// `NT_AMDGPU_METADATA`
const METADATA: u32 = 32;
/// Bytes of a kernel descriptor.
const DESCRIPTOR: usize = 64;

/// A code object.
pub struct CodeObject {
    /// `e_flags`
    pub flags: u32,
    /// Its kernels, by symbol (`name.kd`).
    pub kernels: BTreeMap<String, KernelMetadata>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// The SHA-256 of the image that it was made of.
    pub image: Option<String>,
}

/// A variable.
pub struct Variable {
    /// Its symbol.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Whether kernels cannot write it.
    pub is_constant: bool,
    /// Its first contents; shorter than `size` if the rest is zero.
    pub contents: Vec<u8>,
}

type Elf<'a> = ElfFile64<'a, Endianness>;

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|index| bytes[at + index]))
}

impl CodeObject {
    /// Reads a file.
    pub fn parse(bytes: &[u8]) -> Result<CodeObject, String> {
        let file = Elf::parse(bytes).map_err(|error| error.to_string())?;
        let endian = file.endian();
        let header = file.elf_header();
        if header.e_machine(endian) != elf::EM_AMDGPU {
            return Err("it is not for AMD GPUs".into());
        }
        if header.e_ident().os_abi != HSA_ABI {
            return Err("it is not for HSA".into());
        }
        let mut metadata = metadata_of(&file, bytes)?;
        let mut kernels = BTreeMap::new();
        let mut variables = Vec::new();
        for symbol in file.dynamic_symbols() {
            let name = symbol.name().map_err(|error| error.to_string())?;
            if symbol.is_undefined() {
                return Err(format!("{name} is undefined"));
            }
            if symbol.kind() != SymbolKind::Data {
                continue;
            }
            let contents = contents(&file, &symbol)?;
            if !name.ends_with(".kd") {
                variables.push(variable(&file, &symbol, name, contents));
                continue;
            }
            let own = metadata.remove(name);
            let own = own.ok_or_else(|| format!("{name} has no metadata"))?;
            compare(name, &own, &contents)?;
            kernels.insert(name.to_owned(), own);
        }
        if let Some(name) = metadata.keys().next() {
            return Err(format!("{name} has metadata, but is no symbol"));
        }
        Ok(CodeObject {
            flags: header.e_flags(endian).0,
            kernels,
            variables,
            image: image(&file),
        })
    }
}

fn metadata_of(
    file: &Elf<'_>,
    bytes: &[u8],
) -> Result<std::collections::HashMap<String, KernelMetadata>, String> {
    let endian = file.endian();
    let wrong = |error: object::Error| error.to_string();
    for section in file.elf_section_table().iter() {
        let Some(mut notes) = section.notes(endian, bytes).map_err(wrong)? else {
            continue;
        };
        while let Some(note) = notes.next().map_err(wrong)? {
            if note.name() == b"AMDGPU" && note.n_type(endian).0 == METADATA {
                return metadata::kernels(note.desc()).ok_or("its metadata is malformed".into());
            }
        }
    }
    Err("it has no metadata".into())
}

fn contents<'a>(file: &Elf<'a>, symbol: &impl ObjectSymbol<'a>) -> Result<Vec<u8>, String> {
    let section = symbol
        .section_index()
        .and_then(|index| file.section_by_index(index).ok());
    let section = section.ok_or("a symbol has no section")?;
    if section.kind() == SectionKind::UninitializedData {
        return Ok(Vec::new());
    }
    let found = section
        .data_range(symbol.address(), symbol.size())
        .map_err(|error| error.to_string())?;
    found
        .map(<[u8]>::to_vec)
        .ok_or("a symbol lies outside its section".into())
}

fn variable<'a>(
    file: &Elf<'a>,
    symbol: &impl ObjectSymbol<'a>,
    name: &str,
    contents: Vec<u8>,
) -> Variable {
    let section = symbol
        .section_index()
        .and_then(|index| file.section_by_index(index).ok());
    Variable {
        name: name.to_owned(),
        size: symbol.size(),
        is_constant: section.is_some_and(|section| section.kind() == SectionKind::ReadOnlyData),
        contents,
    }
}

/// The descriptor, which the hardware reads, must say what the metadata says.
fn compare(name: &str, metadata: &KernelMetadata, descriptor: &[u8]) -> Result<(), String> {
    if descriptor.len() != DESCRIPTOR {
        return Err(format!("{name} is no kernel descriptor"));
    }
    let own = [0, 4, 8].map(|at| word(descriptor, at));
    let told = [
        metadata.group_size,
        metadata.private_size,
        metadata.kernarg_size,
    ];
    match own == told {
        true => Ok(()),
        false => Err(format!(
            "{name}: segments of {own:?} bytes, in the metadata {told:?}"
        )),
    }
}

fn image(file: &Elf<'_>) -> Option<String> {
    let comment = file.section_by_name(".comment")?.data().ok()?;
    let comment = String::from_utf8_lossy(comment).into_owned();
    let (_, rest) = comment.split_once(PROVENANCE)?;
    Some(rest.chars().take_while(char::is_ascii_hexdigit).collect())
}
