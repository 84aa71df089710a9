//! Relocations of objects for the host.
//!
//! The types of relocations are the architecture's. A file for each has the same items:
//!
//! - `ARCHITECTURE`, `NAME`: which it is.
//! - `decode`: what a type of relocation asks for.
//! - `Field`: the part of the code or data that a relocation fills in.
//! - `STUB`, `write_stub`: code that jumps to the address in a slot.
//! - `ABSOLUTE`: the types that put addresses and offsets into debug information, with their widths.

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod architecture;

use std::collections::BTreeSet;

use object::elf::RelocationType;
use object::{
    Object, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget, SymbolIndex,
};

use super::elf::{Elf, LoadError};
use super::layout::Layout;
use super::library;
pub use architecture::{ABSOLUTE, ARCHITECTURE, NAME, STUB};
use architecture::{Field, decode, write_stub};

/// What a relocation points at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A symbol.
    Symbol,
    /// A symbol, or the stub that jumps to it if the object does not define it.
    Call,
    /// A symbol's slot in the global offset table.
    Slot,
}

/// What a relocation asks for.
enum Request {
    /// Nothing.
    Nothing,
    /// The target's place in a field.
    Fill(Target, Field),
    /// An address of 32 bits.
    ShortAddress,
}

/// A value does not fit into its field.
struct Overflow;

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
            match decode(kind(&relocation)?) {
                Some(Request::Fill(Target::Slot, _)) => {
                    needed.slots.insert(symbol.0);
                }
                Some(Request::Fill(Target::Call, _))
                    if elf.symbol_by_index(symbol)?.is_undefined() =>
                {
                    needed.stubs.insert(symbol.0);
                }
                _ => {}
            }
        }
    }
    Ok(needed)
}

/// The addresses of what other objects define, by name.
pub type Outside<'a> = dyn Fn(&str) -> Option<u64> + 'a;

/// Fills in the stubs and slots, and applies all relocations of loaded sections to `memory`, whose address is
/// `base`.
pub fn relocate(
    elf: &Elf<'_>,
    layout: &Layout,
    base: u64,
    memory: &mut [u8],
    outside: &Outside<'_>,
) -> Result<(), LoadError> {
    for (symbol, slot) in layout.slots() {
        let address = address(elf, layout, base, symbol, outside)?;
        memory[slot as usize..][..8].copy_from_slice(&address.to_le_bytes());
    }
    for (stub, slot) in layout.stubs() {
        let place = &mut memory[stub as usize..][..STUB as usize];
        write_stub(place, base + stub, base + slot);
    }
    for section in elf.sections() {
        let Some(start) = layout.section(section.index()) else {
            continue;
        };
        for (offset, relocation) in section.relocations() {
            let (target, field) = match requested(elf, &relocation)? {
                Some(request) => request,
                None => continue,
            };
            let end = offset.checked_add(field.size());
            if end.is_none_or(|end| end > section.size()) {
                return Err(LoadError::Malformed(format!(
                    "relocation at {offset:#x} leaves its section"
                )));
            }
            let at = start + offset;
            let value = place_of(elf, layout, base, &relocation, target, outside)?;
            field
                .fill(&mut memory[at as usize..], base + at, value)
                .map_err(|Overflow| {
                    LoadError::Malformed(format!("relocation at {at:#x} overflows"))
                })?;
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

/// What a relocation asks for; `None` if nothing.
fn requested(elf: &Elf<'_>, relocation: &Relocation) -> Result<Option<(Target, Field)>, LoadError> {
    let kind = kind(relocation)?;
    match decode(kind) {
        Some(Request::Nothing) => Ok(None),
        Some(Request::Fill(target, field)) => Ok(Some((target, field))),
        Some(Request::ShortAddress) => {
            let symbol = elf.symbol_by_index(symbol_of(relocation)?)?;
            let name = symbol.name().unwrap_or("?");
            Err(LoadError::Unsupported(format!(
                "compiled code has a 32-bit absolute address (of {name}); it must be position-independent"
            )))
        }
        None => Err(LoadError::Unsupported(format!(
            "compiled code has a relocation of type {kind:?}"
        ))),
    }
}

fn symbol_of(relocation: &Relocation) -> Result<SymbolIndex, LoadError> {
    match relocation.target() {
        RelocationTarget::Symbol(symbol) => Ok(symbol),
        _ => Err(LoadError::Malformed(
            "relocation against no symbol".to_owned(),
        )),
    }
}

/// The address that a relocation's field describes.
fn place_of(
    elf: &Elf<'_>,
    layout: &Layout,
    base: u64,
    relocation: &Relocation,
    target: Target,
    outside: &Outside<'_>,
) -> Result<u64, LoadError> {
    let symbol = symbol_of(relocation)?;
    let stub = layout.stub(symbol).filter(|_| target == Target::Call);
    let place = match (target, stub) {
        (Target::Slot, _) => layout
            .slot(symbol)
            .map(|slot| base + slot)
            .ok_or_else(|| LoadError::Malformed("missing slot".to_owned()))?,
        (_, Some(stub)) => base + stub,
        (_, None) => address(elf, layout, base, symbol, outside)?,
    };
    Ok(place.wrapping_add_signed(relocation.addend()))
}

/// The address a symbol stands for.
fn address(
    elf: &Elf<'_>,
    layout: &Layout,
    base: u64,
    index: SymbolIndex,
    outside: &Outside<'_>,
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
    let engine = crate::abi::engine_function(name);
    let checked = || crate::checker::abi::function(name);
    let library = || library::function(name);
    let found = engine.or_else(checked).or_else(library);
    match found.or_else(|| outside(name)) {
        Some(address) => Ok(address),
        None if symbol.is_weak() => Ok(0),
        None => Err(LoadError::Unsupported(format!(
            "the image uses {name}, which neither it nor the virtual GPU defines"
        ))),
    }
}
