//! Source lines of loaded code, from the object's DWARF. They are read only when a fault needs them.

use std::borrow::Cow;
use std::rc::Rc;

use gimli::{EndianRcSlice, Reader as _, RunTimeEndian, SectionId};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationTarget};
use parking_lot::Mutex;
use plugin_api::SourceLocation;

use super::elf::Elf;
use super::relocate;

type Reader = EndianRcSlice<RunTimeEndian>;

/// Line tables of one object.
pub struct Lines {
    context: Mutex<addr2line::Context<Reader>>,
}

// SAFETY: nothing outside the context shares its reference counts. The context is only reached through the lock
// and moves as a whole.
unsafe impl Send for Lines {}
// SAFETY: as above.
unsafe impl Sync for Lines {}

impl Lines {
    /// Reads the debug information of `image`, whose section headers hold run-time addresses. Gives `None` if
    /// there is none or if it cannot be read: a fault report without a line is better than no report.
    pub fn read(image: &[u8]) -> Option<Lines> {
        let elf = Elf::parse(image).ok()?;
        elf.section_by_name(".debug_line")?;
        let load = |id: SectionId| -> Result<Reader, gimli::Error> {
            let data = elf
                .section_by_name(id.name())
                .map_or(Vec::new(), |section| relocated(&elf, &section));
            Ok(EndianRcSlice::new(Rc::from(data), RunTimeEndian::Little))
        };
        let dwarf = gimli::Dwarf::load(load).ok()?;
        let context = addr2line::Context::from_dwarf(dwarf).ok()?;
        Some(Lines {
            context: Mutex::new(context),
        })
    }

    /// The innermost frame of the user's source that covers `pc`. Frames of the device runtime, which is written
    /// in Rust, are skipped. The compiler does the same for the manifest's sites.
    pub fn location(&self, pc: u64) -> Option<SourceLocation> {
        let context = self.context.lock();
        let folder = compilation_folder(&context, pc);
        let mut frames = context.find_frames(pc).skip_all_loads().ok()?;
        let mut innermost = None;
        while let Ok(Some(frame)) = frames.next() {
            let Some(found) = location_of(&frame, folder.as_deref()) else {
                continue;
            };
            if !found.file.ends_with(".rs") {
                return Some(found);
            }
            innermost.get_or_insert(found);
        }
        innermost
    }
}

/// A frame's source location, if it has a line. The prologue of a function may have none.
fn location_of(
    frame: &addr2line::Frame<'_, Reader>,
    folder: Option<&str>,
) -> Option<SourceLocation> {
    let location = frame.location.as_ref()?;
    let line = location.line.filter(|&line| line != 0)?;
    let function = frame
        .function
        .as_ref()
        .and_then(|name| name.raw_name().ok().map(Cow::into_owned));
    // The path as the user gave it to the compiler, like the paths of the manifest's sites.
    let inside = |folder: &str| Some(location.file?.strip_prefix(folder)?.trim_start_matches('/'));
    let file = folder.and_then(inside).or(location.file)?;
    Some(SourceLocation {
        file: file.to_owned(),
        line,
        column: location.column.unwrap_or(0),
        function: function.unwrap_or_default(),
    })
}

/// The folder the code at `pc` was compiled in.
fn compilation_folder(context: &addr2line::Context<Reader>, pc: u64) -> Option<String> {
    let unit = context.find_dwarf_and_unit(pc).skip_all_loads()?;
    Some(unit.comp_dir.as_ref()?.to_string_lossy().ok()?.into_owned())
}

/// A debug section's contents with its relocations applied. Offsets into other debug sections count from 0.
/// Addresses of code are the load addresses.
fn relocated<'data>(elf: &Elf<'data>, section: &impl ObjectSection<'data>) -> Vec<u8> {
    let Ok(data) = section.data() else {
        return Vec::new();
    };
    let mut data = data.to_vec();
    for (offset, relocation) in section.relocations() {
        let RelocationTarget::Symbol(index) = relocation.target() else {
            continue;
        };
        let Ok(symbol) = elf.symbol_by_index(index) else {
            continue;
        };
        let home = symbol
            .section_index()
            .and_then(|index| elf.section_by_index(index).ok());
        // In a relocatable object a symbol's value counts from its section's start.
        let start = home.map_or(0, |home| {
            home.elf_section_header().sh_addr.get(LittleEndian)
        });
        let value = start
            .wrapping_add(symbol.address())
            .wrapping_add_signed(relocation.addend())
            .to_le_bytes();
        let kind = relocate::kind(&relocation).ok();
        let mut absolute = relocate::ABSOLUTE.into_iter();
        let Some((_, width)) = absolute.find(|(each, _)| Some(*each) == kind) else {
            continue;
        };
        let end = (offset as usize).checked_add(width);
        if let Some(place) = end.and_then(|end| data.get_mut(offset as usize..end)) {
            place.copy_from_slice(&value[..width]);
        }
    }
    data
}
