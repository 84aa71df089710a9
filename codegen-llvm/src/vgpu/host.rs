//! The architectures of hosts: what code for the virtual GPU is compiled for.

use clap::ValueEnum;
use codegen::CpuLevel;

use crate::ir::{Value, initialise_aarch64, initialise_x86};

/// A host's architecture. Its name is that of `std::env::consts::ARCH`, which clients pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Architecture {
    /// x86-64
    #[value(name = "x86_64")]
    X86_64,
    /// 64-bit ARM
    #[value(name = "aarch64")]
    Aarch64,
}

impl Architecture {
    /// That of this process.
    pub const CURRENT: Architecture = if cfg!(target_arch = "aarch64") {
        Architecture::Aarch64
    } else {
        Architecture::X86_64
    };

    /// The triple of Linux on it.
    pub fn triple(self) -> &'static str {
        match self {
            Architecture::X86_64 => "x86_64-unknown-linux-gnu",
            Architecture::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// Its name, as `std::env::consts::ARCH` has it.
    pub fn name(self) -> &'static str {
        match self {
            Architecture::X86_64 => "x86_64",
            Architecture::Aarch64 => "aarch64",
        }
    }

    /// The level whose code runs on all its CPUs.
    pub fn lowest_level(self) -> CpuLevel {
        match self {
            Architecture::X86_64 => CpuLevel::V1,
            Architecture::Aarch64 => CpuLevel::Armv8,
        }
    }

    /// Inline assembly that reads the stack pointer.
    pub fn stack_pointer(self) -> &'static str {
        match self {
            Architecture::X86_64 => "movq %rsp, $0",
            Architecture::Aarch64 => "mov $0, sp",
        }
    }

    /// The letter of inline assembly's constraints for registers with floating-point numbers.
    pub fn float_register(self) -> char {
        match self {
            Architecture::X86_64 => 'x',
            Architecture::Aarch64 => 'w',
        }
    }

    /// Initialises LLVM's back end for it.
    pub fn initialise(self) {
        match self {
            Architecture::X86_64 => initialise_x86(),
            Architecture::Aarch64 => initialise_aarch64(),
        }
    }
}

/// Whether a called value is the assembly that reads the stack pointer on some host.
pub fn reads_stack_pointer(called: Value) -> bool {
    called.is_inline_assembly() && {
        let text = called.assembly_text();
        let mut all = Architecture::value_variants().iter();
        all.any(|host| host.stack_pointer() == text)
    }
}
