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
        sealed(&[&[self.binary_type() as u8][..], &content].concat())
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

/// Content behind what every binary begins with.
fn sealed(content: &[u8]) -> Vec<u8> {
    [&MAGIC[..], &Sha256::digest(content), content].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A checksum is no proof of who made it.
    #[test]
    fn contents_with_a_right_checksum_may_be_anything() {
        let manifest = codegen::opencl::Manifest {
            kernels: vec![Default::default()],
            variables: 4,
        };
        let image = b"BC".to_vec();
        let whole = Code::Executable(Program { manifest, image }).encode();
        let content = &whole[MAGIC.len() + CHECKSUM..];
        let mut random = 1u32;
        for _ in 0..4_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let mut changed = content.to_vec();
            let at = (random >> 8) as usize % changed.len();
            match random >> 30 {
                0 => changed.truncate(at),
                1 => changed.insert(at, random as u8),
                _ => changed[at] = (random >> 16) as u8,
            }
            if let Some(code) = Code::decode(&sealed(&changed)) {
                assert_eq!(Code::decode(&code.encode()), Some(code));
            }
        }
        assert_eq!(Code::decode(&sealed(&[])), None);
    }

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
