//! The names that an image defines. Older drivers do not list them.

use std::collections::{HashMap, HashSet};

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
    /// Kernels. Machine code may name other functions among them.
    pub kernels: HashSet<String>,
    /// Parameters of the kernels, where the image lists them.
    pub parameters: HashMap<String, Vec<Parameter>>,
}

impl Names {
    /// The names that a cubin defines.
    pub fn of_cubin(bytes: &[u8]) -> Result<Names> {
        let malformed = |error| Error::Load(format!("the machine code is malformed: {error}"));
        let elf = ElfFile64::<object::Endianness>::parse(bytes).map_err(malformed)?;
        let mut names = Names::default();
        for section in elf.sections() {
            let name = section.name().unwrap_or_default();
            names
                .kernels
                .extend(name.strip_prefix(".text.").map(str::to_owned));
            let kernel = name.strip_prefix(".nv.info.");
            let data = section.data().unwrap_or_default();
            if let Some((kernel, listed)) = kernel.zip(parameters(data)) {
                names.parameters.insert(kernel.to_owned(), listed);
            }
        }
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

/// A record of a section `.nv.info.KERNEL`: a number that says what it tells, and what it tells.
type Record<'a> = (u8, &'a [u8]);

/// The records of such a section. Each is its form, its number, two bytes, and in form 4 as many bytes as those two say
/// (as `cuobjdump -elf` shows them; NVIDIA documents no more).
fn records(mut data: &[u8]) -> impl Iterator<Item = Record<'_>> {
    std::iter::from_fn(move || {
        let (&[form, number, low, high], rest) = data.split_first_chunk()?;
        let length = match form {
            4 => usize::from(u16::from_le_bytes([low, high])),
            _ => 0,
        };
        let (more, rest) = rest.split_at_checked(length)?;
        let told = if form == 4 { more } else { &data[2..4] };
        data = rest;
        Some((number, told))
    })
}

/// `EIATTR_KPARAM_INFO`: a parameter's number, offset and, in the upper 14 bits of its last word, size.
const PARAMETER: u8 = 0x17;
/// `EIATTR_CBANK_PARAM_SIZE`: bytes of all parameters.
const BYTES_OF_ALL: u8 = 0x19;

/// A kernel's parameters in the order of their numbers. `None` if the section does not list them all in a form that
/// is understood.
fn parameters(section: &[u8]) -> Option<Vec<Parameter>> {
    let mut numbered = Vec::new();
    let mut all = None;
    for (number, told) in records(section) {
        match (number, told) {
            (PARAMETER, &[_, _, _, _, number, above, low, high, a, b, c, d]) => {
                let parameter = Parameter {
                    offset: u16::from_le_bytes([low, high]).into(),
                    size: u32::from_le_bytes([a, b, c, d]) >> 18,
                };
                numbered.push((u16::from_le_bytes([number, above]), parameter));
            }
            (BYTES_OF_ALL, &[low, high]) => all = Some(u32::from(u16::from_le_bytes([low, high]))),
            _ => {}
        }
    }
    numbered.sort_by_key(|(number, _)| *number);
    let listed: Vec<Parameter> = numbered
        .into_iter()
        .map(|(_, parameter)| parameter)
        .collect();
    let end = listed.last().map_or(0, |last| last.offset + last.size);
    (all == Some(end)).then_some(listed)
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

    /// `void (ptr, i64, ptr, ptr)`, with a record of another kind before and after, as ptxas 13.0 writes them.
    const FOUR: &str = "04370400 87000000 04170c00 00000000 03001800 00f52100 04170c00 00000000 02001000 00f52100 \
                        04170c00 00000000 01000800 00f02100 04170c00 00000000 00000000 00f52100 03500000 03192000";

    fn bytes(text: &str) -> Vec<u8> {
        hex::decode(text.replace(' ', "")).unwrap()
    }

    #[test]
    fn machine_code_lists_parameters() {
        let eight = |offset| Parameter { offset, size: 8 };
        let listed = parameters(&bytes(FOUR)).unwrap();
        assert_eq!(listed, [eight(0), eight(8), eight(16), eight(24)]);
        assert_eq!(parameters(&bytes("03190000")).unwrap(), []);
    }

    #[test]
    fn a_list_that_is_not_understood_is_none() {
        let short = FOUR.replace("03192000", "03192800");
        for section in [&short, "", "04170c00", "04170c00 00", "04ffffff 00", "03"] {
            assert!(parameters(&bytes(section)).is_none(), "{section}");
        }
    }

    #[test]
    fn no_cubin() {
        assert!(Names::of_cubin(b"\x7fELF").is_err());
    }
}
