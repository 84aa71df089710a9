//! A program's binary (`CL_PROGRAM_BINARIES`): what it is, and a checksum, so that others are refused.

use codegen::opencl::Program;
use sha2::{Digest, Sha256};

/// What a binary begins with.
const MAGIC: &[u8; 16] = b"omptarget-cl-01\n";
/// Bytes of the checksum.
const CHECKSUM: usize = 32;

/// What becomes of a source.
#[derive(Clone, Debug, PartialEq)]
pub enum Code {
    /// Compiled, not linked (`CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT`).
    Object(Vec<u8>),
    /// Linked with others (`CL_PROGRAM_BINARY_TYPE_LIBRARY`).
    Library(Vec<u8>),
    /// A program (`CL_PROGRAM_BINARY_TYPE_EXECUTABLE`).
    Executable(Program),
}

impl Code {
    /// `CL_PROGRAM_BINARY_TYPE_…`.
    pub fn binary_type(&self) -> u32 {
        match self {
            Code::Object(_) => 1,
            Code::Library(_) => 2,
            Code::Executable(_) => 4,
        }
    }

    /// The module, if it is one to link.
    pub fn module(&self) -> Option<&[u8]> {
        match self {
            Code::Object(module) | Code::Library(module) => Some(module),
            Code::Executable(_) => None,
        }
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let content = match self {
            Code::Object(module) | Code::Library(module) => module.clone(),
            Code::Executable(program) => program.encode().unwrap_or_default(),
        };
        let mut bytes = MAGIC.to_vec();
        let sum_of = [&[self.binary_type() as u8][..], &content].concat();
        bytes.extend_from_slice(&Sha256::digest(&sum_of));
        bytes.extend(sum_of);
        bytes
    }

    /// From bytes; `None` if they are no binary of this version.
    pub fn decode(bytes: &[u8]) -> Option<Code> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (sum, rest) = rest.split_at_checked(CHECKSUM)?;
        if Sha256::digest(rest).as_slice() != sum {
            return None;
        }
        let (sort, content) = rest.split_first()?;
        Some(match sort {
            1 => Code::Object(content.to_vec()),
            2 => Code::Library(content.to_vec()),
            4 => Code::Executable(Program::decode(content).ok()?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_pass_whole_and_others_are_refused() {
        let codes = [
            Code::Object(b"BC".to_vec()),
            Code::Library(Vec::new()),
            Code::Executable(Program {
                manifest: Default::default(),
                image: b"BC".to_vec(),
            }),
        ];
        for code in codes {
            let bytes = code.encode();
            assert_eq!(Code::decode(&bytes), Some(code));
            for cut in 0..bytes.len() {
                assert_eq!(Code::decode(&bytes[..cut]), None, "{cut}");
                let mut changed = bytes.clone();
                changed[cut] ^= 0x55;
                assert_eq!(Code::decode(&changed), None, "{cut}");
            }
        }
    }
}
