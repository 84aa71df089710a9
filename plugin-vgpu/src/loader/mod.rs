//! Loads compiled code into the device window: from an ELF relocatable object to executable memory.

mod brain_float;
mod elf;
mod gdb;
mod layout;
mod library;
mod lines;
mod relocate;

use std::collections::HashMap;
use std::sync::OnceLock;

use object::{Object, ObjectSymbol};
use plugin_api::{Error, Result, SourceLocation};

use crate::arena::Span;
use crate::code_ranges;
use crate::host_cpu;
use crate::window::{Protection, Region};
use elf::{Elf, LoadError};
use layout::Layout;

/// A loaded object. Dropping it unmaps its code, which must no longer run.
pub struct Loaded {
    /// Keeps the memory mapped.
    _region: Region,
    code: Span,
    data: Span,
    symbols: HashMap<String, u64>,
    /// The object with its sections' addresses filled in.
    image: Box<[u8]>,
    lines: OnceLock<Option<lines::Lines>>,
    /// gdb must forget the object before `image` is freed.
    gdb: Option<gdb::Registration>,
}

impl Loaded {
    /// Loads an object made for the virtual GPU. It may refer to symbols of `base`, which must stay loaded as long.
    pub fn new(object: &[u8], base: Option<&Loaded>) -> Result<Loaded> {
        Self::load(object, base).map_err(|error| match error {
            LoadError::Device(error) => error,
            other => Error::Load(other.to_string()),
        })
    }

    fn load(object: &[u8], others: Option<&Loaded>) -> std::result::Result<Loaded, LoadError> {
        let elf = Elf::parse(object)?;
        if elf.architecture() != relocate::ARCHITECTURE
            || elf.kind() != object::ObjectKind::Relocatable
        {
            return Err(LoadError::Malformed(format!(
                "it is not a relocatable {} object",
                relocate::NAME
            )));
        }
        let layout = Layout::new(&elf)?;
        let region = Region::reserve(layout.size(), crate::window::PAGE)?;
        region.protect(0, region.span().len, Protection::ReadWrite)?;
        let base = region.span().start;
        {
            // SAFETY: the region is mapped and writable, and nothing else uses it. The slice ends before the
            // protection changes.
            let memory = unsafe {
                std::slice::from_raw_parts_mut(region.base(), region.span().len as usize)
            };
            layout.fill(&elf, memory)?;
            let outside = |name: &str| others?.symbol(name);
            relocate::relocate(&elf, &layout, base, memory, &outside)?;
        }
        let code = Span {
            start: base,
            len: layout.code_size(),
        };
        let data = Span {
            start: code.end(),
            len: region.span().len - code.len,
        };
        if code.len > 0 {
            host_cpu::publish_code(region.base(), code.len as usize);
            region.protect(0, code.len, Protection::Execute)?;
        }
        let mut symbols = HashMap::new();
        for symbol in elf.symbols().filter(|symbol| !symbol.is_undefined()) {
            if let (Ok(name), Some(offset)) = (symbol.name(), layout.symbol(&elf, &symbol))
                && !name.is_empty()
            {
                symbols.insert(name.to_owned(), base + offset);
            }
        }
        let image = gdb::image_with_addresses(object, &elf, &layout, base)?;
        code_ranges::register(code);
        let gdb = Some(gdb::Registration::new(&image));
        Ok(Loaded {
            _region: region,
            code,
            data,
            symbols,
            image,
            lines: OnceLock::new(),
            gdb,
        })
    }

    /// The address of a defined symbol.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.symbols.get(name).copied()
    }

    /// The globals' memory: everything loaded but the code.
    pub fn data(&self) -> Span {
        self.data
    }

    /// Whether `address` is in the object's code.
    pub fn is_code(&self, address: u64) -> bool {
        self.code.contains(address, 1)
    }

    /// The location in the user's source that an instruction comes from, if the object has debug information.
    pub fn source_location(&self, pc: u64) -> Option<SourceLocation> {
        if !self.is_code(pc) {
            return None;
        }
        let lines = self.lines.get_or_init(|| lines::Lines::read(&self.image));
        lines.as_ref()?.location(pc)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        self.gdb = None;
        code_ranges::unregister(self.code);
    }
}
