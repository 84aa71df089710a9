//! OpenCL programs: what `omptarget-codegen opencl` takes and gives.
//!
//! Modules and answers are byte strings that begin with their lengths, so that a truncated one is noticed.

use serde::{Deserialize, Serialize};

use crate::CompileError;

/// The built-in functions that programs are linked with: the path in the folder above the compiler's own.
pub const BUILTINS: &str = "lib/opencl/builtins";

/// A linked OpenCL program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Its kernels.
    pub manifest: Manifest,
    /// Its code: an image for any device that takes bitcode.
    pub image: Vec<u8>,
}

/// What a program's kernels are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its kernels, in the order of the source.
    pub kernels: Vec<Kernel>,
    /// Bytes of variables at program scope.
    pub variables: u64,
}

/// A kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its attributes, as the source spells them, apart by spaces.
    pub attributes: String,
    /// `reqd_work_group_size`.
    pub required_size: Option<[u32; 3]>,
    /// Its arguments. Those that the compiler added come after them (`hidden` words).
    pub arguments: Vec<Argument>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its type, as the source spells it.
    pub type_name: String,
    /// Where it points.
    pub space: Space,
    /// `read_only` and its like, of images and pipes; `none` of others.
    pub access: String,
    /// `const`, `restrict`, `volatile`.
    pub qualifiers: String,
    /// What sort of thing is passed.
    pub kind: ArgumentKind,
    /// Bytes.
    pub size: u32,
}

/// The address space that an argument points into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Space {
    /// No pointer.
    #[default]
    Private,
    /// `__global`.
    Global,
    /// `__constant`.
    Constant,
    /// `__local`.
    Local,
}

/// What a kernel's argument is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgumentKind {
    /// Bytes.
    #[default]
    Value,
    /// The address of a memory object, or of shared virtual memory.
    Memory,
    /// Local memory: the caller gives its size.
    Local,
    /// An image.
    Image,
    /// A sampler.
    Sampler,
}

/// How many words of a launch follow those of a kernel's arguments: the offset of the index space in three dimensions,
/// and the number of its dimensions.
pub const HIDDEN_WORDS: usize = 4;

/// Modules, one after the other.
pub fn encode_modules(modules: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for module in modules {
        bytes.extend((module.len() as u64).to_le_bytes());
        bytes.extend(*module);
    }
    bytes
}

/// The modules of [`encode_modules`]; `None` if the bytes are not that.
pub fn decode_modules(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut modules = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (module, rest) = rest.split_at_checked(length)?;
        modules.push(module);
        bytes = rest;
    }
    Some(modules)
}

impl Program {
    /// As bytes.
    pub fn encode(&self) -> Result<Vec<u8>, CompileError> {
        let manifest = serde_json::to_vec(&self.manifest)?;
        Ok(encode_modules(&[&manifest, &self.image]))
    }

    /// The program of [`Program::encode`].
    pub fn decode(bytes: &[u8]) -> Result<Program, CompileError> {
        let parts = decode_modules(bytes);
        let Some([manifest, image]) = parts.as_deref() else {
            return Err(CompileError::Crashed {
                how: "no program".to_owned(),
                detail: None,
            });
        };
        Ok(Program {
            manifest: serde_json::from_slice(manifest)?,
            image: image.to_vec(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_pass_whole_and_others_are_refused() {
        let bytes = encode_modules(&[b"one", b"", b"three"]);
        assert_eq!(
            decode_modules(&bytes).unwrap(),
            [&b"one"[..], b"", b"three"]
        );
        for cut in [1, 8, 10, 12, bytes.len() - 1] {
            assert_eq!(decode_modules(&bytes[..cut]), None, "{cut}");
        }
        assert_eq!(decode_modules(&u64::MAX.to_le_bytes()), None);
    }

    #[test]
    fn programs_pass_whole_and_others_are_refused() {
        let program = Program {
            manifest: Manifest {
                kernels: vec![Kernel {
                    name: "k".to_owned(),
                    required_size: Some([8, 1, 1]),
                    arguments: vec![Argument::default()],
                    ..Kernel::default()
                }],
                variables: 4,
            },
            image: b"BC".to_vec(),
        };
        let bytes = program.encode().unwrap();
        assert_eq!(Program::decode(&bytes).unwrap(), program);
        assert!(Program::decode(&bytes[..bytes.len() - 1]).is_err());
        assert!(Program::decode(b"").is_err());
    }
}
