//! The memory layout of an object: code first, then stubs for calls out of the object, then all data. Everything
//! lies within the 2 GiB that 32-bit relative addresses span.

use std::collections::HashMap;

use object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHF_TLS};
use object::read::elf::ElfSymbol;
use object::{
    LittleEndian, Object, ObjectSection, ObjectSymbol, SectionFlags, SectionIndex, SymbolIndex,
};

use super::elf::{Elf, LoadError};
use super::relocate::STUB;
use crate::window::PAGE;

/// Size of a slot of the global offset table.
const SLOT: u64 = 8;
/// Reach of a 32-bit relative address.
const REACH: u64 = 1 << 31;
/// No section needs more. A larger alignment would only exhaust the window.
const MAX_ALIGN: u64 = 1 << 20;

/// All offsets from the object's base.
pub struct Layout {
    sections: HashMap<usize, u64>,
    commons: HashMap<usize, u64>,
    slots: HashMap<usize, u64>,
    stubs: HashMap<usize, u64>,
    code_size: u64,
    size: u64,
}

impl Layout {
    /// Lays out the sections that are loaded, and a stub and a slot for every symbol that needs one.
    pub fn new(elf: &Elf<'_>) -> Result<Layout, LoadError> {
        let mut layout = Layout {
            sections: HashMap::new(),
            commons: HashMap::new(),
            slots: HashMap::new(),
            stubs: HashMap::new(),
            code_size: 0,
            size: 0,
        };
        layout.place_sections(elf, true)?;
        let needed = super::relocate::needed(elf)?;
        for &symbol in &needed.stubs {
            let at = layout.take(STUB, STUB)?;
            layout.stubs.insert(symbol, at);
        }
        layout.code_size = layout.size.next_multiple_of(PAGE);
        layout.size = layout.code_size;
        for &symbol in needed.slots.iter().chain(&needed.stubs) {
            if !layout.slots.contains_key(&symbol) {
                let at = layout.take(SLOT, SLOT)?;
                layout.slots.insert(symbol, at);
            }
        }
        layout.place_sections(elf, false)?;
        for symbol in elf.symbols().filter(|symbol| symbol.is_common()) {
            // For a common symbol, `st_value` is the alignment.
            let at = layout.take(symbol.size(), symbol.address())?;
            layout.commons.insert(symbol.index().0, at);
        }
        layout.size = layout.size.max(1).next_multiple_of(PAGE);
        Ok(layout)
    }

    /// The total size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Bytes from the base that are executable.
    pub fn code_size(&self) -> u64 {
        self.code_size
    }

    /// Where a section begins, if it is loaded.
    pub fn section(&self, section: SectionIndex) -> Option<u64> {
        self.sections.get(&section.0).copied()
    }

    /// The slot that holds a symbol's address.
    pub fn slot(&self, symbol: SymbolIndex) -> Option<u64> {
        self.slots.get(&symbol.0).copied()
    }

    /// Where the stub for calls to a symbol is.
    pub fn stub(&self, symbol: SymbolIndex) -> Option<u64> {
        self.stubs.get(&symbol.0).copied()
    }

    /// All stubs with the slots they jump through.
    pub fn stubs(&self) -> impl Iterator<Item = (u64, u64)> {
        self.stubs
            .iter()
            .filter_map(|(symbol, &stub)| Some((stub, *self.slots.get(symbol)?)))
    }

    /// All symbols that have a slot, with the slot.
    pub fn slots(&self) -> impl Iterator<Item = (SymbolIndex, u64)> {
        self.slots
            .iter()
            .map(|(&symbol, &slot)| (SymbolIndex(symbol), slot))
    }

    /// Where a symbol defined in a loaded section, or a common symbol, is.
    pub fn symbol(
        &self,
        elf: &Elf<'_>,
        symbol: &ElfSymbol<'_, '_, object::elf::FileHeader64<LittleEndian>>,
    ) -> Option<u64> {
        if symbol.is_common() {
            return self.commons.get(&symbol.index().0).copied();
        }
        let index = symbol.section_index()?;
        let size = elf.section_by_index(index).ok()?.size();
        let base = self.section(index)?;
        (symbol.address() <= size).then(|| base + symbol.address())
    }

    /// Copies the sections' contents into `memory`, which is all zero.
    pub fn fill(&self, elf: &Elf<'_>, memory: &mut [u8]) -> Result<(), LoadError> {
        for section in elf.sections() {
            if let Some(offset) = self.section(section.index()) {
                let data = section.data()?;
                memory[offset as usize..][..data.len()].copy_from_slice(data);
            }
        }
        Ok(())
    }

    fn place_sections(&mut self, elf: &Elf<'_>, code: bool) -> Result<(), LoadError> {
        for section in elf.sections() {
            let SectionFlags::Elf {
                sh_flags: flags, ..
            } = section.flags()
            else {
                continue;
            };
            if !flags.contains(SHF_ALLOC) || code != flags.contains(SHF_EXECINSTR) {
                continue;
            }
            if flags.contains(SHF_TLS) {
                return Err(LoadError::Unsupported(
                    "device code uses thread-local variables".to_owned(),
                ));
            }
            // A section's contents may be shorter than its size (.bss), never longer.
            let size = section.size().max(section.data()?.len() as u64);
            let at = self.take(size, section.align())?;
            self.sections.insert(section.index().0, at);
        }
        Ok(())
    }

    fn take(&mut self, size: u64, align: u64) -> Result<u64, LoadError> {
        let align = align.max(1);
        if !align.is_power_of_two() || align > MAX_ALIGN {
            return Err(LoadError::Malformed(format!("alignment {align}")));
        }
        let at = self.size.next_multiple_of(align);
        match at.checked_add(size) {
            Some(end) if end < REACH => {
                self.size = end;
                Ok(at)
            }
            _ => Err(LoadError::Unsupported(
                "the image's code and global variables exceed 2 GiB".to_owned(),
            )),
        }
    }
}
