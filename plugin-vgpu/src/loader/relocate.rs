//! Relocations of x86-64 objects (System V psABI, AMD64 supplement, section 4.4).

use std::collections::BTreeSet;

use object::elf::{
    R_X86_64_32, R_X86_64_32S, R_X86_64_64, R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_NONE,
    R_X86_64_PC32, R_X86_64_PC64, R_X86_64_PLT32, R_X86_64_REX_GOTPCRELX, RelocationType,
};
use object::{
    Object, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget, SymbolIndex,
};

use super::elf::{Elf, LoadError};
use super::layout::Layout;
use super::library;

/// The symbols that need a stub or a slot.
#[derive(Default)]
pub struct Needed {
    /// Called, but not defined in the object.
    pub stubs: BTreeSet<usize>,
    /// Addressed through the global offset table.
    pub slots: BTreeSet<usize>,
}

/// Finds out which symbols need stubs and slots.
pub fn needed(elf: &Elf<'_>) -> Result<Needed, LoadError> {
    let mut needed = Needed::default();
    for section in elf.sections().filter(is_loaded) {
        for (_, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                continue;
            };
            match kind(&relocation)? {
                R_X86_64_GOTPCREL | R_X86_64_GOTPCRELX | R_X86_64_REX_GOTPCRELX => {
                    needed.slots.insert(symbol.0);
                }
                R_X86_64_PC32 | R_X86_64_PLT32 if elf.symbol_by_index(symbol)?.is_undefined() => {
                    needed.stubs.insert(symbol.0);
                }
                _ => {}
            }
        }
    }
    Ok(needed)
}

/// Fills in the stubs and slots, and applies all relocations of loaded sections to `memory`, whose address is
/// `base`.
pub fn relocate(
    elf: &Elf<'_>,
    layout: &Layout,
    base: u64,
    memory: &mut [u8],
) -> Result<(), LoadError> {
    for (symbol, slot) in layout.slots() {
        let address = address(elf, layout, base, symbol)?;
        memory[slot as usize..][..8].copy_from_slice(&address.to_le_bytes());
    }
    for (stub, slot) in layout.stubs() {
        const JMP: [u8; 2] = [0xff, 0x25];
        // The distance counts from the end of the six-byte instruction.
        let distance = (slot as i64 - stub as i64 - 6) as i32;
        memory[stub as usize..][..2].copy_from_slice(&JMP);
        memory[stub as usize + 2..][..4].copy_from_slice(&distance.to_le_bytes());
    }
    for section in elf.sections() {
        let Some(start) = layout.section(section.index()) else {
            continue;
        };
        for (offset, relocation) in section.relocations() {
            let width = if matches!(kind(&relocation)?, R_X86_64_64 | R_X86_64_PC64) {
                8
            } else {
                4
            };
            if offset
                .checked_add(width)
                .is_none_or(|end| end > section.size())
            {
                return Err(LoadError::Malformed(format!(
                    "relocation at {offset:#x} leaves its section"
                )));
            }
            apply(elf, layout, base, start + offset, &relocation, memory)?;
        }
    }
    Ok(())
}

/// Whether a section's contents are loaded.
pub fn is_loaded<'data>(section: &impl ObjectSection<'data>) -> bool {
    use object::{SectionFlags, elf::SHF_ALLOC};
    matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(SHF_ALLOC))
}

/// The ELF type of a relocation.
pub fn kind(relocation: &Relocation) -> Result<RelocationType, LoadError> {
    match relocation.flags() {
        RelocationFlags::Elf { r_type } => Ok(r_type),
        other => Err(LoadError::Malformed(format!("relocation {other:?}"))),
    }
}

fn apply(
    elf: &Elf<'_>,
    layout: &Layout,
    base: u64,
    at: u64,
    relocation: &Relocation,
    memory: &mut [u8],
) -> Result<(), LoadError> {
    let RelocationTarget::Symbol(symbol) = relocation.target() else {
        return Err(LoadError::Malformed(
            "relocation against no symbol".to_owned(),
        ));
    };
    let addend = relocation.addend();
    let place = (base + at) as i64;
    let slot = || {
        layout
            .slot(symbol)
            .map(|slot| base + slot)
            .ok_or_else(|| LoadError::Malformed("missing slot".to_owned()))
    };
    let relative = |target: u64| {
        target
            .wrapping_add_signed(addend)
            .wrapping_sub(place as u64) as i64
    };
    let value = match kind(relocation)? {
        R_X86_64_NONE => return Ok(()),
        R_X86_64_64 => address(elf, layout, base, symbol)?.wrapping_add_signed(addend) as i64,
        R_X86_64_PC64 => relative(address(elf, layout, base, symbol)?),
        R_X86_64_PC32 | R_X86_64_PLT32 => match layout.stub(symbol) {
            Some(stub) => relative(base + stub),
            None => relative(address(elf, layout, base, symbol)?),
        },
        R_X86_64_GOTPCREL | R_X86_64_GOTPCRELX | R_X86_64_REX_GOTPCRELX => relative(slot()?),
        R_X86_64_32 | R_X86_64_32S => {
            let name = elf
                .symbol_by_index(symbol)?
                .name()
                .unwrap_or("?")
                .to_owned();
            return Err(LoadError::Unsupported(format!(
                "compiled code has a 32-bit absolute address (of {name}); it must be position-independent"
            )));
        }
        other => {
            return Err(LoadError::Unsupported(format!(
                "compiled code has a relocation of type {other:?}"
            )));
        }
    };
    if matches!(kind(relocation)?, R_X86_64_64 | R_X86_64_PC64) {
        memory[at as usize..][..8].copy_from_slice(&value.to_le_bytes());
        return Ok(());
    }
    let value = i32::try_from(value)
        .map_err(|_| LoadError::Malformed(format!("relocation at {at:#x} overflows")))?;
    memory[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    Ok(())
}

/// The address a symbol stands for.
fn address(
    elf: &Elf<'_>,
    layout: &Layout,
    base: u64,
    index: SymbolIndex,
) -> Result<u64, LoadError> {
    let symbol = elf.symbol_by_index(index)?;
    if !symbol.is_undefined() {
        if symbol.section() == object::SymbolSection::Absolute {
            return Ok(symbol.address());
        }
        let offset = layout.symbol(elf, &symbol);
        let name = symbol.name().unwrap_or("?");
        return offset.map(|offset| base + offset).ok_or_else(|| {
            LoadError::Malformed(format!("symbol {name} lies in no loaded section"))
        });
    }
    let name = symbol.name()?;
    match crate::abi::engine_function(name).or_else(|| library::function(name)) {
        Some(address) => Ok(address),
        None if symbol.is_weak() => Ok(0),
        None => Err(LoadError::Unsupported(format!(
            "the image uses {name}, which neither it nor the virtual GPU defines"
        ))),
    }
}
