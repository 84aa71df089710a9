//! SPIR-V: `llvm-spirv`, a process, makes a module of it.
//!
//! Debian's is of LLVM 15. LLVM 22 reads what it writes, and the link makes it one for the devices
//! (docs/decisions/0094-spirv-by-llvm-spirv.md).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use codegen::{Cache, Key};
use parking_lot::Mutex;

use super::tool;
use crate::codes::{Code, Result};

/// The reader's names, the best first.
const NAMES: [&str; 9] = [
    "llvm-spirv-22",
    "llvm-spirv-21",
    "llvm-spirv-20",
    "llvm-spirv-19",
    "llvm-spirv-18",
    "llvm-spirv-17",
    "llvm-spirv-16",
    "llvm-spirv-15",
    "llvm-spirv",
];
/// What SPIR-V begins with.
const MAGIC: u32 = 0x0723_0203;
/// Words of its header.
const HEADER: usize = 5;

/// Versions of SPIR-V that are read.
pub const VERSIONS: [(u32, u32); 3] = [(1, 0), (1, 1), (1, 2)];

/// Whether there is a reader on this machine.
pub fn is_available() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| find().is_some())
}

fn find() -> Option<PathBuf> {
    tool::find("OMPTARGET_LLVM_SPIRV", &NAMES)
}

/// A program in SPIR-V.
pub struct Source {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The constants that the program may set, by their numbers.
    constants: BTreeMap<u32, Scalar>,
    /// Those that it has set, as the reader takes them.
    set: Mutex<BTreeMap<u32, String>>,
}

/// The type of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    Bool,
    Int(u32),
    Float(u32),
}

impl Scalar {
    fn bytes(self) -> usize {
        match self {
            Scalar::Bool => 1,
            Scalar::Int(bits) | Scalar::Float(bits) => bits as usize / 8,
        }
    }

    /// A value as `llvm-spirv` takes it: its type and itself.
    fn value(self, bytes: &[u8]) -> Option<String> {
        let mut word = [0; 8];
        word.get_mut(..bytes.len())?.copy_from_slice(bytes);
        let number = u64::from_le_bytes(word);
        Some(match self {
            Scalar::Bool => format!("i1:{}", u64::from(number != 0)),
            Scalar::Int(bits) => format!("i{bits}:{number}"),
            Scalar::Float(32) => format!("f32:{:e}", f32::from_bits(number as u32)),
            Scalar::Float(64) => format!("f64:{:e}", f64::from_bits(number)),
            Scalar::Float(_) => return None,
        })
    }
}

impl Source {
    /// Of bytes; an error if they are not SPIR-V.
    pub fn new(bytes: Vec<u8>) -> Result<Source> {
        let constants = constants(&bytes).ok_or(Code::INVALID_VALUE)?;
        Ok(Source {
            bytes,
            constants,
            set: Mutex::default(),
        })
    }

    /// Sets a constant.
    pub fn set(&self, id: u32, value: &[u8]) -> Result<()> {
        let constant = self.constants.get(&id).ok_or(Code::INVALID_SPEC_ID)?;
        if constant.bytes() != value.len() {
            return Err(Code::INVALID_VALUE);
        }
        let text = constant.value(value).ok_or(Code::INVALID_VALUE)?;
        self.set.lock().insert(id, text);
        Ok(())
    }

    /// How large a constant is, for what sets it.
    pub fn size_of(&self, id: u32) -> Option<usize> {
        self.constants.get(&id).map(|constant| constant.bytes())
    }

    /// Makes a module of it; or says why not.
    pub fn module(&self) -> std::result::Result<Vec<u8>, String> {
        let reader = find().ok_or("there is no llvm-spirv, which programs in SPIR-V need")?;
        let set = self.set.lock().clone();
        let set: Vec<String> = set
            .iter()
            .map(|(id, value)| format!("{id}:{value}"))
            .collect();
        let constants = format!("--spec-const={}", set.join(" "));
        let mut arguments = vec!["-r", "--spirv-target-env=CL2.0"];
        if !set.is_empty() {
            arguments.push(&constants);
        }
        let state = tool::state(&reader);
        let words = arguments.join("\0");
        let key = Key::of(&[
            b"opencl spirv",
            reader.as_os_str().as_encoded_bytes(),
            state.as_bytes(),
            words.as_bytes(),
            &self.bytes,
        ]);
        let cache = Cache::of_user();
        if let Some(module) = cache.as_ref().and_then(|cache| cache.load(&key)) {
            return Ok(module);
        }
        let module = self.read(&reader, &arguments)?;
        if let Some(cache) = cache {
            cache.store(&key, &module);
        }
        Ok(module)
    }

    fn read(
        &self,
        reader: &std::path::Path,
        arguments: &[&str],
    ) -> std::result::Result<Vec<u8>, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", reader.display());
        let folder = tempfile::tempdir().map_err(failed)?;
        let (input, output) = (folder.path().join("in.spv"), folder.path().join("out.bc"));
        std::fs::write(&input, spelled_out(&self.bytes)).map_err(failed)?;
        let done = Command::new(reader)
            .args(arguments)
            .arg(&input)
            .arg("-o")
            .arg(&output)
            .output()
            .map_err(failed)?;
        match done.status.success() {
            true => std::fs::read(&output).map_err(failed),
            false => {
                let said = String::from_utf8_lossy(&done.stderr);
                Err(format!("llvm-spirv: {}: {said}", done.status))
            }
        }
    }
}

/// The words, if there is a header.
fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, rest) = bytes.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    (words.len() >= HEADER && words[0] == MAGIC && rest.is_empty()).then_some(words)
}

/// Takes an instruction: its number, its operands.
fn take<'a>(rest: &mut &'a [u32]) -> Option<(u32, &'a [u32])> {
    let first = *rest.first()?;
    let (instruction, next) = rest.split_at_checked((first >> 16).max(1) as usize)?;
    *rest = next;
    Some((first & 0xffff, &instruction[1..]))
}

/// Notes the type that an instruction declares: OpTypeBool, OpTypeInt, OpTypeFloat.
fn note_type(types: &mut BTreeMap<u32, Scalar>, instruction: (u32, &[u32])) {
    let (id, ty) = match instruction {
        (20, [id, ..]) => (*id, Scalar::Bool),
        (21, [id, bits, ..]) => (*id, Scalar::Int(*bits)),
        (22, [id, bits, ..]) => (*id, Scalar::Float(*bits)),
        _ => return,
    };
    types.insert(id, ty);
}

/// The constants that a program may set: decorated with `SpecId` (SPIR-V, 3.20). `None`: it is no SPIR-V.
fn constants(bytes: &[u8]) -> Option<BTreeMap<u32, Scalar>> {
    let words = words(bytes)?;
    let (mut types, mut numbers) = (BTreeMap::new(), BTreeMap::new());
    let mut found = BTreeMap::new();
    let mut rest = &words[HEADER..];
    while !rest.is_empty() {
        let instruction = take(&mut rest)?;
        note_type(&mut types, instruction);
        match instruction {
            // OpDecorate with SpecId.
            (71, [target, 1, number, ..]) => {
                numbers.insert(*target, *number);
            }
            // OpSpecConstantTrue, OpSpecConstantFalse, OpSpecConstant.
            (48..=50, [ty, id, ..]) => {
                if let (Some(number), Some(ty)) = (numbers.get(id), types.get(ty)) {
                    found.insert(*number, *ty);
                }
            }
            _ => {}
        }
    }
    Some(found)
}

/// The same program with zeros in place of `OpConstantNull` of numbers, at which the reader of LLVM 15 stops.
fn spelled_out(bytes: &[u8]) -> Vec<u8> {
    let Some(words) = words(bytes) else {
        return bytes.to_vec();
    };
    let (header, mut rest) = words.split_at(HEADER);
    let (mut types, mut all) = (BTreeMap::new(), header.to_vec());
    while !rest.is_empty() {
        let before = rest;
        let Some(instruction) = take(&mut rest) else {
            return bytes.to_vec();
        };
        note_type(&mut types, instruction);
        match instruction {
            (46, [ty, id]) if types.contains_key(ty) => {
                // OpConstantFalse; OpConstant with its value's words.
                let (number, zeros) = match types[ty] {
                    Scalar::Bool => (42, 0),
                    Scalar::Int(bits) | Scalar::Float(bits) => (43, bits.div_ceil(32).min(2)),
                };
                all.extend([(3 + zeros) << 16 | number, *ty, *id]);
                all.extend((0..zeros).map(|_| 0));
            }
            _ => all.extend(&before[..before.len() - rest.len()]),
        }
    }
    all.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn constants_have_numbers_and_types() {
        let words = [
            MAGIC,
            0x0001_0000,
            0,
            9,
            0, // the header
            4 << 16 | 71,
            5,
            1,
            101, // SpecId 101
            4 << 16 | 21,
            2,
            32,
            0, // a type of 32 bits
            4 << 16 | 50,
            2,
            5,
            7, // the constant
        ];
        let source = Source::new(bytes(&words)).unwrap();
        assert_eq!(source.size_of(101), Some(4));
        assert_eq!(source.set(101, &[1, 0, 0, 0]), Ok(()));
        assert_eq!(source.set(101, &[1, 0]), Err(Code::INVALID_VALUE));
        assert_eq!(source.set(7, &[1, 0, 0, 0]), Err(Code::INVALID_SPEC_ID));
        assert_eq!(
            Scalar::Float(32).value(&1.5f32.to_le_bytes()).unwrap(),
            "f32:1.5e0"
        );
    }

    #[test]
    fn null_numbers_are_zeros() {
        let words = [
            MAGIC,
            0x0001_0000,
            0,
            9,
            0,
            4 << 16 | 21,
            2,
            64,
            0,
            3 << 16 | 46,
            2,
            7,
        ];
        let mut expected = words[..9].to_vec();
        expected.extend([5 << 16 | 43, 2, 7, 0, 0]);
        assert_eq!(spelled_out(&bytes(&words)), bytes(&expected));
        assert_eq!(spelled_out(&bytes(&words[..7])), bytes(&words[..7]));
    }

    #[test]
    fn other_bytes_are_refused() {
        for words in [
            &[][..],
            &[1, 2, 3, 4, 5],
            &[MAGIC, 0, 0, 0],
            &[MAGIC, 0, 0, 9, 0, 9 << 16],
        ] {
            assert!(Source::new(bytes(words)).is_err());
        }
        assert!(Source::new(vec![3; 21]).is_err());
    }
}
