//! Joins the objects of a module's parts, as `ld -r` does: sections of one name follow each other, and what one part
//! defines is what the others refer to.
//!
//! Comdat groups and LLVM's table of address-significant symbols are left out: they help linkers that look for what
//! they may drop or fold, and the loader does neither.

use std::collections::HashMap;

use anyhow::{Context as _, Result, bail};
use object::elf::{
    SHF_GROUP, SHF_LINK_ORDER, SHF_MERGE, SHF_STRINGS, SHT_GROUP, SHT_NULL, SHT_RELA, SHT_STRTAB,
    SHT_SYMTAB, SectionType,
};
use object::read::elf::{ElfFile64, ElfSection64, ElfSymbol64};
use object::write::{self, SectionId, SymbolId, SymbolSection};
use object::{
    BinaryFormat, Endianness, LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationTarget,
    SectionFlags, SectionIndex, SymbolFlags, SymbolIndex, SymbolKind, SymbolScope,
};

/// The type of LLVM's table of address-significant symbols (LLVM's documentation, "Extensions").
const SHT_LLVM_ADDRSIG: SectionType = SectionType(0x6fff_4c03);

/// Kinds of sections that are made anew, or left out.
const NOT_JOINED: [SectionType; 6] = [
    SHT_NULL,
    SHT_SYMTAB,
    SHT_STRTAB,
    SHT_RELA,
    SHT_GROUP,
    SHT_LLVM_ADDRSIG,
];

type File<'data> = ElfFile64<'data, LittleEndian>;
type Section<'data, 'file> = ElfSection64<'data, 'file, LittleEndian>;
type Symbol<'data, 'file> = ElfSymbol64<'data, 'file, LittleEndian>;

/// Where the contents of a part's section are in the whole.
#[derive(Clone, Copy)]
struct Place {
    section: SectionId,
    offset: u64,
}

/// What a part's relocations mean by a symbol.
#[derive(Clone, Copy)]
struct Meaning {
    symbol: SymbolId,
    /// What to add to the symbol's address.
    offset: u64,
}

/// One part.
struct Part<'data> {
    file: File<'data>,
    places: HashMap<SectionIndex, Place>,
    meanings: HashMap<SymbolIndex, Meaning>,
}

/// The whole in the making.
struct Whole {
    object: write::Object<'static>,
    /// Its sections by their names.
    sections: HashMap<Vec<u8>, SectionId>,
    /// The symbols that parts know from each other, by their names.
    shared: HashMap<Vec<u8>, SymbolId>,
}

/// Joins relocatable objects of one machine.
pub fn run(objects: &[Vec<u8>]) -> Result<Vec<u8>> {
    let mut parts = Vec::new();
    for object in objects {
        parts.push(Part {
            file: File::parse(object.as_slice()).context("the back end's object does not parse")?,
            places: HashMap::new(),
            meanings: HashMap::new(),
        });
    }
    let Some(first) = parts.first() else {
        bail!("internal error: there is nothing to join");
    };
    let architecture = first.file.architecture();
    let mut whole = Whole {
        object: write::Object::new(BinaryFormat::Elf, architecture, Endianness::Little),
        sections: HashMap::new(),
        shared: HashMap::new(),
    };
    for part in &mut parts {
        whole.add_sections(part)?;
        whole.add_definitions(part)?;
    }
    // Now all definitions are known.
    for part in &mut parts {
        whole.resolve(part)?;
        whole.add_relocations(part)?;
    }
    whole
        .object
        .write()
        .context("joining the parts of the machine code")
}

impl Whole {
    /// Appends the contents of a part's sections.
    fn add_sections(&mut self, part: &mut Part<'_>) -> Result<()> {
        for section in part.file.sections() {
            let SectionFlags::Elf { sh_type, sh_flags } = section.flags() else {
                continue;
            };
            if NOT_JOINED.contains(&sh_type) {
                continue;
            }
            if sh_flags.contains(SHF_LINK_ORDER) {
                bail!(
                    "internal error: the section {} is ordered by another",
                    section.name()?
                );
            }
            // Nobody merges equal strings, and who did would need their size, which `object` does not write.
            let sh_flags = sh_flags
                .without(SHF_MERGE)
                .without(SHF_STRINGS)
                .without(SHF_GROUP);
            let id = self.section(&section, SectionFlags::Elf { sh_type, sh_flags })?;
            let joined = self.object.section_mut(id);
            let offset = match joined.is_bss() {
                true => joined.append_bss(section.size(), section.align()),
                false => joined.append_data(section.data()?, section.align()),
            };
            let place = Place {
                section: id,
                offset,
            };
            part.places.insert(section.index(), place);
        }
        Ok(())
    }

    /// The section with the name of a part's section.
    fn section(&mut self, section: &Section<'_, '_>, flags: SectionFlags) -> Result<SectionId> {
        let name = section.name_bytes()?.to_vec();
        if let Some(&id) = self.sections.get(&name) {
            return Ok(id);
        }
        let id = self
            .object
            .add_section(Vec::new(), name.clone(), section.kind());
        self.object.section_mut(id).flags = flags;
        self.sections.insert(name, id);
        Ok(id)
    }

    /// Adds the symbols that a part defines.
    fn add_definitions(&mut self, part: &mut Part<'_>) -> Result<()> {
        for symbol in part.file.symbols().filter(|it| !it.is_undefined()) {
            let place = symbol.section_index().and_then(|it| part.places.get(&it));
            // A file's name, or in a section that is left out.
            let Some(place) = place.copied() else {
                continue;
            };
            let meaning = match symbol.kind() {
                SymbolKind::Section => Meaning {
                    symbol: self.object.section_symbol(place.section),
                    offset: place.offset,
                },
                _ => Meaning {
                    symbol: self.add_symbol(&symbol, Some(place))?,
                    offset: 0,
                },
            };
            part.meanings.insert(symbol.index(), meaning);
            if symbol.is_global() {
                let name = symbol.name_bytes()?.to_vec();
                if self.shared.insert(name, meaning.symbol).is_some() {
                    bail!("internal error: two parts define {}", symbol.name()?);
                }
            }
        }
        Ok(())
    }

    /// Finds what a part needs in other parts. What none defines stays undefined.
    fn resolve(&mut self, part: &mut Part<'_>) -> Result<()> {
        let named = |it: &Symbol<'_, '_>| it.is_undefined() && it.index() != SymbolIndex(0);
        for symbol in part.file.symbols().filter(named) {
            let name = symbol.name_bytes()?.to_vec();
            let id = match self.shared.get(&name) {
                Some(&id) => id,
                None => {
                    let id = self.add_symbol(&symbol, None)?;
                    self.shared.insert(name, id);
                    id
                }
            };
            let meaning = Meaning {
                symbol: id,
                offset: 0,
            };
            part.meanings.insert(symbol.index(), meaning);
        }
        Ok(())
    }

    fn add_symbol(&mut self, symbol: &Symbol<'_, '_>, place: Option<Place>) -> Result<SymbolId> {
        let SymbolFlags::Elf { st_info, st_other } = symbol.flags() else {
            bail!("internal error: the back end's object is no ELF file");
        };
        let scope = match symbol.is_local() {
            true => SymbolScope::Compilation,
            false => SymbolScope::Linkage,
        };
        Ok(self.object.add_symbol(write::Symbol {
            name: symbol.name_bytes()?.to_vec(),
            value: symbol.address() + place.map_or(0, |place| place.offset),
            size: symbol.size(),
            kind: symbol.kind(),
            scope,
            weak: symbol.is_weak(),
            section: match place {
                Some(place) => SymbolSection::Section(place.section),
                None => SymbolSection::Undefined,
            },
            flags: SymbolFlags::Elf { st_info, st_other },
        }))
    }

    /// Adds the relocations of a part's sections.
    fn add_relocations(&mut self, part: &Part<'_>) -> Result<()> {
        for section in part.file.sections() {
            let Some(&place) = part.places.get(&section.index()) else {
                continue;
            };
            for (offset, relocation) in section.relocations() {
                let meaning = match relocation.target() {
                    RelocationTarget::Symbol(symbol) => part.meanings.get(&symbol),
                    _ => None,
                };
                let meaning = meaning.with_context(|| {
                    format!("internal error: a relocation at {offset:#x} has no known target")
                })?;
                let relocation = write::Relocation {
                    offset: place.offset + offset,
                    symbol: meaning.symbol,
                    addend: relocation.addend() + meaning.offset as i64,
                    flags: relocation.flags(),
                };
                self.object.add_relocation(place.section, relocation)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parts;
    use super::*;
    use crate::ir::{Context, Machine, MachineOptions, Module, initialise_x86};

    /// Both functions have a number of their own in `.rodata.cst8`, and one in a variable.
    const TEXT: &str = "
        @shared = internal global double 3.0
        define double @first(double %a) !dbg !3 {
          %b = fmul double %a, 1.25
          %c = call double @second(double %b), !dbg !6
          ret double %c
        }
        define internal double @second(double %a) noinline !dbg !4 {
          %b = fmul double %a, 2.5
          %c = load double, ptr @shared
          %d = fadd double %b, %c
          %e = call double @unknown(double %d), !dbg !7
          ret double %e
        }
        declare double @unknown(double)
        !llvm.dbg.cu = !{!0}
        !llvm.module.flags = !{!2}
        !0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
        !1 = !DIFile(filename: \"a.c\", directory: \"/\")
        !2 = !{i32 2, !\"Debug Info Version\", i32 3}
        !3 = distinct !DISubprogram(name: \"first\", file: !1, unit: !0, spFlags: DISPFlagDefinition, type: !5)
        !4 = distinct !DISubprogram(name: \"second\", file: !1, unit: !0, spFlags: DISPFlagDefinition, type: !5)
        !5 = !DISubroutineType(types: !{null})
        !6 = !DILocation(line: 2, scope: !3)
        !7 = !DILocation(line: 10, scope: !4)
    ";

    /// The object of one of two parts.
    fn part(number: usize) -> Vec<u8> {
        initialise_x86();
        let machine = Machine::new(&MachineOptions {
            triple: "x86_64-unknown-linux-gnu",
            cpu: "x86-64",
            features: "",
            level: 2,
        })
        .unwrap();
        let module = Module::parse(Context::new(), TEXT, "test").unwrap();
        let parts = parts::divide(&module, &machine, Some(2));
        parts.connect(&module);
        parts.keep(&module, number);
        machine.emit_object(&module).unwrap()
    }

    /// What the relocations of a section refer to, and what they add to it: names that parts share, else sections.
    fn targets(file: &File<'_>, section: &str) -> Vec<(String, i64)> {
        let section = file.section_by_name(section).unwrap();
        let target = |relocation: object::Relocation| {
            let RelocationTarget::Symbol(index) = relocation.target() else {
                panic!("{relocation:?}");
            };
            let symbol = file.symbol_by_index(index).unwrap();
            match symbol.is_local() {
                true => {
                    let section = symbol.section_index().unwrap();
                    let section = file.section_by_index(section).unwrap();
                    let place = symbol.address() as i64 + relocation.addend();
                    (section.name().unwrap().to_owned(), place)
                }
                false => (symbol.name().unwrap().to_owned(), relocation.addend()),
            }
        };
        section.relocations().map(|(_, it)| target(it)).collect()
    }

    #[test]
    fn parts_find_each_other() {
        let whole = run(&[part(0), part(1)]).unwrap();
        let file = File::parse(whole.as_slice()).unwrap();
        // Calls and accesses count from the end of the four bytes.
        assert_eq!(
            targets(&file, ".text"),
            [
                (".rodata.cst8", -4),
                ("shared", -4),
                ("unknown", -4),
                (".rodata.cst8", 8 - 4),
                ("second", -4),
            ]
            .map(|(name, addend)| (name.to_owned(), addend))
        );
        let numbers = file.section_by_name(".rodata.cst8").unwrap();
        let expected = [2.5_f64.to_le_bytes(), 1.25_f64.to_le_bytes()].concat();
        assert_eq!(numbers.data().unwrap(), expected);
    }

    #[test]
    fn each_name_is_there_once() {
        let whole = run(&[part(0), part(1)]).unwrap();
        let file = File::parse(whole.as_slice()).unwrap();
        let named: Vec<_> = file
            .symbols()
            .filter(ObjectSymbol::is_global)
            .map(|it| (it.name().unwrap().to_owned(), it.is_undefined()))
            .collect();
        let expected = [
            ("shared", false),
            ("first", false),
            ("second", false),
            ("unknown", true),
        ];
        assert_eq!(named.len(), expected.len(), "{named:?}");
        for (name, undefined) in expected {
            assert!(named.contains(&(name.to_owned(), undefined)), "{named:?}");
        }
        let sections: Vec<_> = file
            .sections()
            .map(|it| it.name().unwrap().to_owned())
            .collect();
        let code = sections.iter().filter(|name| *name == ".text");
        assert_eq!(code.count(), 1, "{sections:?}");
        let second = file.symbol_by_name("second").unwrap();
        let text = file.section_by_name(".text").unwrap();
        assert!(second.address() + second.size() <= text.size());
        assert_eq!(second.address() % 16, 0);
    }

    #[test]
    fn debug_information_of_each_part_refers_to_its_own() {
        let parts = [part(0), part(1)];
        let first = File::parse(parts[0].as_slice()).unwrap();
        let length = first.section_by_name(".debug_abbrev").unwrap().size() as i64;
        let whole = run(&parts).unwrap();
        let file = File::parse(whole.as_slice()).unwrap();
        let mut targets = targets(&file, ".debug_info");
        targets.retain(|(name, _)| name == ".debug_abbrev");
        let expected = [0, length].map(|place| (".debug_abbrev".to_owned(), place));
        assert_eq!(targets, expected);
    }

    #[test]
    fn one_name_of_two_things_is_an_error() {
        let error = run(&[part(0), part(0)]).unwrap_err().to_string();
        assert!(error.contains("two parts define"), "{error}");
    }
}
