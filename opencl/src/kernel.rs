//! Kernels and their arguments.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use codegen::opencl::{Argument, ArgumentKind, HIDDEN_WORDS, Kernel as Manifest, Space};
use parking_lot::Mutex;
use plugin_api::Parameter;

use crate::codes::{Code, Result};
use crate::compile;
use crate::device::{ALIGNMENT, Device};
use crate::handle::{Owned, Raw, Ref, get};
use crate::kind;
use crate::memory::{Flags, Memory};
use crate::program::{BUILD_SUCCESS, Program};
use crate::sampler::Sampler;

/// A kernel.
pub struct Kernel {
    /// Its program.
    pub program: Ref<Program>,
    /// What the compiler says of it.
    pub manifest: Manifest,
    /// It on each of the program's devices.
    loaded: Vec<Arc<dyn plugin_api::Kernel>>,
    arguments: Mutex<Vec<Option<Value>>>,
}

kind!(Kernel, INVALID_KERNEL);

/// What an argument is set to.
#[derive(Clone)]
pub enum Value {
    /// Bytes.
    Bytes(Vec<u8>),
    /// A memory object; none for null. Arguments do not keep objects alive.
    Memory(Option<Weak<Owned<Memory>>>),
    /// Shared virtual memory.
    Shared(usize),
    /// So many bytes of local memory.
    Local(usize),
}

/// The arguments of a launch.
pub struct Words {
    /// The words.
    pub words: Vec<u64>,
    /// Bytes of local memory.
    pub local: u32,
    /// What must be there until the kernel has ended.
    pub kept: Vec<Ref<Memory>>,
}

impl Kernel {
    /// A kernel of a program that is built.
    pub fn new(program: &Ref<Program>, name: &str) -> Result<Kernel> {
        let built = program.built();
        let code = built
            .code
            .as_deref()
            .filter(|_| built.status == BUILD_SUCCESS);
        let Some(compile::binary::Code::Executable(executable)) = code else {
            return Err(Code::INVALID_PROGRAM_EXECUTABLE);
        };
        let mut all = executable.manifest.kernels.iter();
        let manifest = all
            .find(|kernel| kernel.name == name)
            .ok_or(Code::INVALID_KERNEL_NAME)?;
        let loaded: Option<Vec<_>> = built
            .modules
            .iter()
            .map(|module| module.kernel(name))
            .collect();
        program.kernels.fetch_add(1, Ordering::Relaxed);
        Ok(Kernel {
            program: program.clone(),
            manifest: manifest.clone(),
            loaded: loaded.ok_or(Code::INVALID_KERNEL_NAME)?,
            arguments: Mutex::new(vec![None; manifest.arguments.len()]),
        })
    }

    /// The same kernel with the same arguments (`clCloneKernel`).
    pub fn copy(&self) -> Kernel {
        self.program.kernels.fetch_add(1, Ordering::Relaxed);
        Kernel {
            program: self.program.clone(),
            manifest: self.manifest.clone(),
            loaded: self.loaded.clone(),
            arguments: Mutex::new(self.arguments.lock().clone()),
        }
    }

    /// It on a device of the program's.
    pub fn on(&self, device: &Ref<Device>) -> Result<&Arc<dyn plugin_api::Kernel>> {
        let mut devices = self.program.devices.iter();
        let index = devices.position(|own| Arc::ptr_eq(own, device));
        index
            .and_then(|index| self.loaded.get(index))
            .ok_or(Code::INVALID_PROGRAM_EXECUTABLE)
    }

    /// The description of an argument.
    pub fn argument(&self, index: u32) -> Result<&Argument> {
        let arguments = &self.manifest.arguments;
        arguments.get(index as usize).ok_or(Code::INVALID_ARG_INDEX)
    }

    /// Sets an argument.
    pub fn set(&self, index: u32, value: Value) {
        self.arguments.lock()[index as usize] = Some(value);
    }

    /// The value that a program gives by `clSetKernelArg`.
    ///
    /// # Safety
    /// `value` is readable for `size` bytes unless it is null.
    pub unsafe fn value(argument: &Argument, size: usize, value: *const u8) -> Result<Value> {
        match argument.kind {
            ArgumentKind::Local if !value.is_null() => Err(Code::INVALID_ARG_VALUE),
            ArgumentKind::Local if size == 0 => Err(Code::INVALID_ARG_SIZE),
            ArgumentKind::Local => Ok(Value::Local(size)),
            ArgumentKind::Memory => {
                if size != size_of::<Raw>() {
                    return Err(Code::INVALID_ARG_SIZE);
                }
                if value.is_null() {
                    return Ok(Value::Memory(None));
                }
                // SAFETY: the caller's contract; the size is a handle's.
                let raw = unsafe { value.cast::<Raw>().read_unaligned() };
                Ok(Value::Memory(match raw.is_null() {
                    true => None,
                    false => Some(Arc::downgrade(&buffer(get(raw)?)?)),
                }))
            }
            ArgumentKind::Image => {
                // SAFETY: the caller's contract.
                let raw = unsafe { handle(size, value, Code::INVALID_MEM_OBJECT) }?;
                let memory = get::<Memory>(raw)?;
                fits(&memory, argument)?;
                Ok(Value::Memory(Some(Arc::downgrade(&memory))))
            }
            ArgumentKind::Sampler => {
                // SAFETY: the caller's contract.
                let raw = unsafe { handle(size, value, Code::INVALID_SAMPLER) }?;
                let bits = get::<Sampler>(raw)?.bits();
                Ok(Value::Bytes(bits.to_le_bytes().to_vec()))
            }
            ArgumentKind::Value => {
                if value.is_null() {
                    return Err(Code::INVALID_ARG_VALUE);
                }
                if size != argument.size as usize {
                    return Err(Code::INVALID_ARG_SIZE);
                }
                // SAFETY: the caller's contract.
                let bytes = unsafe { std::slice::from_raw_parts(value, size) };
                Ok(Value::Bytes(bytes.to_vec()))
            }
        }
    }

    /// Bytes of local memory that the arguments take.
    pub fn local_of_arguments(&self) -> u64 {
        let arguments = self.arguments.lock();
        let sizes = arguments.iter().map(|value| match value {
            Some(Value::Local(size)) => size.next_multiple_of(ALIGNMENT) as u64,
            _ => 0,
        });
        sizes.sum()
    }

    /// The words of a launch of the kernel with its parameters on a device, the hidden ones included.
    pub fn words(
        &self,
        parameters: &[Parameter],
        offset: [usize; 3],
        dimensions: u32,
    ) -> Result<Words> {
        let mut all = Words {
            words: Vec::with_capacity(parameters.len() + HIDDEN_WORDS),
            local: 0,
            kept: Vec::new(),
        };
        let arguments = self.arguments.lock();
        for (value, parameter) in arguments.iter().zip(parameters) {
            match value.as_ref().ok_or(Code::INVALID_KERNEL_ARGS)? {
                Value::Bytes(bytes) => push_words(&mut all.words, bytes, *parameter),
                Value::Memory(None) => all.words.push(0),
                Value::Memory(Some(memory)) => {
                    let memory = memory.upgrade().ok_or(Code::INVALID_KERNEL_ARGS)?;
                    all.words.push(memory.argument().0);
                    all.kept.push(memory);
                }
                Value::Shared(address) => all.words.push(*address as u64),
                Value::Local(size) => {
                    all.words.push(u64::from(all.local));
                    let size = u32::try_from(size.next_multiple_of(ALIGNMENT)).ok();
                    let end = size.and_then(|size| all.local.checked_add(size));
                    all.local = end.ok_or(Code::OUT_OF_RESOURCES)?;
                }
            }
        }
        all.words.extend(offset.map(|each| each as u64));
        all.words.push(u64::from(dimensions));
        Ok(all)
    }
}

/// A handle that a program gives as an argument.
///
/// # Safety
/// `value` is readable for `size` bytes unless it is null.
unsafe fn handle(size: usize, value: *const u8, invalid: Code) -> Result<Raw> {
    match value.is_null() {
        true => Err(invalid),
        false if size != size_of::<Raw>() => Err(Code::INVALID_ARG_SIZE),
        // SAFETY: the caller's contract; the size is a handle's.
        false => Ok(unsafe { value.cast::<Raw>().read_unaligned() }),
    }
}

fn buffer(memory: Ref<Memory>) -> Result<Ref<Memory>> {
    match memory.image {
        None => Ok(memory),
        Some(_) => Err(Code::INVALID_MEM_OBJECT),
    }
}

/// Whether an object is an image of an argument's type, which kernels may use so.
fn fits(memory: &Memory, argument: &Argument) -> Result<()> {
    if memory.image()?.kind.type_name() != argument.type_name {
        return Err(Code::INVALID_ARG_VALUE);
    }
    let forbidden = match argument.access.as_str() {
        "write_only" => Flags::READ_ONLY,
        "read_write" => Flags::READ_ONLY | Flags::WRITE_ONLY,
        _ => Flags::WRITE_ONLY,
    };
    match memory.flags.intersects(forbidden) {
        true => Err(Code::INVALID_ARG_VALUE),
        false => Ok(()),
    }
}

fn push_words(words: &mut Vec<u64>, bytes: &[u8], parameter: Parameter) {
    let start = words.len();
    words.extend(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }));
    words.resize(start + parameter.words(), 0);
}

/// `CL_KERNEL_ARG_ADDRESS_…`.
pub fn address_qualifier(space: Space) -> u32 {
    match space {
        Space::Global => 0x119b,
        Space::Local => 0x119c,
        Space::Constant => 0x119d,
        Space::Private => 0x119e,
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.program.kernels.fetch_sub(1, Ordering::Relaxed);
    }
}
