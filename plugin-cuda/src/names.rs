//! The names that an image defines. Older drivers do not list them.

use std::collections::HashMap;

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use plugin_api::{Error, Parameter, Result};

/// The names that an image defines.
#[derive(Debug, Default)]
pub struct Names {
    /// Visible device variables that may change.
    pub variables: Vec<String>,
    /// Visible constants.
    pub constants: Vec<String>,
    /// Parameters of the kernels. Machine code does not list them.
    pub parameters: HashMap<String, Vec<Parameter>>,
}

impl Names {
    /// The names that a cubin defines.
    pub fn of_cubin(bytes: &[u8]) -> Result<Names> {
        let malformed = |error| Error::Load(format!("the machine code is malformed: {error}"));
        let elf = ElfFile64::<object::Endianness>::parse(bytes).map_err(malformed)?;
        let mut names = Names::default();
        for symbol in elf.symbols() {
            let section = symbol.section_index();
            let section = section.and_then(|index| elf.section_by_index(index).ok());
            let (Some(section), Ok(name)) = (section, symbol.name()) else {
                continue;
            };
            if symbol.kind() != SymbolKind::Data || symbol.is_local() {
                continue;
            }
            match section.name().unwrap_or_default() {
                ".nv.global" | ".nv.global.init" => names.variables.push(name.to_owned()),
                other if other.starts_with(".nv.constant") => {
                    names.constants.push(name.to_owned());
                }
                _ => {}
            }
        }
        Ok(names)
    }
}

/// How the NVPTX back end spells a name: PTX has no dots.
pub fn ptx_name(name: &str) -> String {
    name.replace(['.', '@'], "_$_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots() {
        assert_eq!(ptx_name("counter.1"), "counter_$_1");
        assert_eq!(
            ptx_name("__omp_offloading_1_2_f_l3"),
            "__omp_offloading_1_2_f_l3"
        );
    }

    #[test]
    fn no_cubin() {
        assert!(Names::of_cubin(b"\x7fELF").is_err());
    }
}
