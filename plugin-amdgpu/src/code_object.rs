//! What a code object (an ELF shared object for AMD GPUs) says of itself: its architecture, kernels and variables.

use std::collections::HashMap;

use object::elf::{EM_AMDGPU, FileHeader64};
use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind};
use plugin_api::{Error, Result};

use crate::arch::Arch;
use crate::metadata::{self, KernelMetadata};

/// `ELFABIVERSION_AMDGPU_HSA_V4`: the first version whose flags name features.
const OLDEST_ABI: u8 = 2;
/// `NT_AMDGPU_METADATA`
const METADATA_NOTE: u32 = 32;
/// The name of AMD's notes.
const NOTE_NAME: &[u8] = b"AMDGPU";

/// A code object's description of itself.
#[derive(Debug, Default)]
pub struct CodeObject {
    /// Its kernels by name.
    pub kernels: HashMap<String, KernelMetadata>,
    /// Visible variables that may change.
    pub variables: Vec<String>,
}

/// The architecture of a code object, or why it cannot be used.
pub fn arch(bytes: &[u8]) -> std::result::Result<Arch, String> {
    let header = FileHeader64::<Endianness>::parse(bytes)
        .map_err(|why| format!("which is malformed: {why}"))?;
    let endian = header.endian().map_err(|why| why.to_string())?;
    if header.e_machine(endian) != EM_AMDGPU {
        return Err("which is not for AMD GPUs".into());
    }
    let version = header.e_ident().abi_version;
    if version < OLDEST_ABI {
        return Err(format!(
            "whose code object version is older than 4 (the ELF file's ABI version is {version})"
        ));
    }
    let flags = header.e_flags(endian);
    Arch::of_flags(flags.0).ok_or_else(|| {
        format!("whose processor the device runtime does not support (ELF flags {flags:#x})")
    })
}

impl CodeObject {
    /// Reads a code object.
    pub fn parse(bytes: &[u8]) -> Result<CodeObject> {
        let malformed = |why: &dyn std::fmt::Display| {
            Error::Load(format!("the machine code is malformed: {why}"))
        };
        let elf = ElfFile64::<Endianness>::parse(bytes).map_err(|why| malformed(&why))?;
        let kernels = match metadata_note(&elf) {
            Some(note) => metadata::kernels(note).map_err(|why| malformed(&why))?,
            None => return Err(malformed(&"it has no metadata")),
        };
        Ok(CodeObject {
            kernels,
            variables: variables(&elf),
        })
    }
}

/// The contents of the note with the metadata.
fn metadata_note<'a>(elf: &ElfFile64<'a, Endianness>) -> Option<&'a [u8]> {
    let endian = elf.endian();
    for section in elf.elf_section_table().iter() {
        let Ok(Some(mut notes)) = section.notes(endian, elf.data()) else {
            continue;
        };
        while let Ok(Some(note)) = notes.next() {
            if note.name() == NOTE_NAME && note.n_type(endian).0 == METADATA_NOTE {
                return Some(note.desc());
            }
        }
    }
    None
}

fn variables(elf: &ElfFile64<'_, Endianness>) -> Vec<String> {
    let is_writable = |symbol: &object::read::elf::ElfSymbol64<'_, '_, Endianness>| {
        let section = symbol.section_index();
        let section = section.and_then(|index| elf.section_by_index(index).ok());
        let name = section.as_ref().and_then(|section| section.name().ok());
        matches!(name, Some(name) if name == ".data" || name == ".bss")
    };
    let symbols = elf.dynamic_symbols();
    symbols
        .filter(|symbol| symbol.kind() == SymbolKind::Data && is_writable(symbol))
        .filter_map(|symbol| Some(symbol.name().ok()?.to_owned()))
        .collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The header of a code object of version 5 with these flags.
    pub fn header(flags: u32) -> Vec<u8> {
        let mut bytes = vec![0u8; 64];
        bytes[..9].copy_from_slice(b"\x7fELF\x02\x01\x01\x40\x03");
        bytes[16] = 3;
        bytes[18..20].copy_from_slice(&EM_AMDGPU.0.to_le_bytes());
        bytes[20] = 1;
        bytes[48..52].copy_from_slice(&flags.to_le_bytes());
        bytes[52] = 64;
        bytes
    }

    #[test]
    fn architectures() {
        assert_eq!(
            arch(&header(0xe3f)).unwrap().to_string(),
            "gfx90a:sramecc+:xnack-"
        );
        let mut old = header(0x3f);
        old[8] = 1;
        assert!(arch(&old).unwrap_err().contains("older than 4"));
        let mut host = header(0);
        host[18..20].copy_from_slice(&62u16.to_le_bytes());
        assert!(arch(&host).unwrap_err().contains("not for AMD"));
        assert!(arch(b"\x7fELF").is_err());
    }

    #[test]
    fn what_has_no_metadata_is_no_code_object() {
        let why = CodeObject::parse(&header(0x3f)).unwrap_err().to_string();
        assert!(why.contains("no metadata"), "{why}");
    }
}
