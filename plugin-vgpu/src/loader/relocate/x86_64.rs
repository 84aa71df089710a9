//! Relocations of x86-64 objects (System V psABI, AMD64 supplement, section 4.4).

use object::Architecture;
use object::elf::{
    R_X86_64_32, R_X86_64_32S, R_X86_64_64, R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_NONE,
    R_X86_64_PC32, R_X86_64_PC64, R_X86_64_PLT32, R_X86_64_REX_GOTPCRELX, RelocationType,
};

use super::{Overflow, Request, Target};

/// The architecture.
pub const ARCHITECTURE: Architecture = Architecture::X86_64;
/// Its name in messages.
pub const NAME: &str = "x86-64";
/// Size of a stub: `jmp *slot(%rip)`, padded.
pub const STUB: u64 = 16;
/// The relocations of debug information that are applied, with their widths.
pub const ABSOLUTE: [(RelocationType, usize); 2] = [(R_X86_64_64, 8), (R_X86_64_32, 4)];

/// What a relocation fills in.
#[derive(Clone, Copy)]
pub enum Field {
    /// An address.
    Absolute,
    /// A distance, in 64 bits.
    Relative64,
    /// A distance, in 32 bits.
    Relative32,
}

/// What a type of relocation asks for; `None` if it is not known.
pub fn decode(kind: RelocationType) -> Option<Request> {
    Some(match kind {
        R_X86_64_NONE => Request::Nothing,
        R_X86_64_64 => Request::Fill(Target::Symbol, Field::Absolute),
        R_X86_64_PC64 => Request::Fill(Target::Symbol, Field::Relative64),
        R_X86_64_PC32 | R_X86_64_PLT32 => Request::Fill(Target::Call, Field::Relative32),
        R_X86_64_GOTPCREL | R_X86_64_GOTPCRELX | R_X86_64_REX_GOTPCRELX => {
            Request::Fill(Target::Slot, Field::Relative32)
        }
        R_X86_64_32 | R_X86_64_32S => Request::ShortAddress,
        _ => return None,
    })
}

impl Field {
    /// Its bytes.
    pub fn size(self) -> u64 {
        match self {
            Field::Absolute | Field::Relative64 => 8,
            Field::Relative32 => 4,
        }
    }

    /// Puts `value`, an address, into the field at the start of `bytes`, whose address is `place`.
    pub fn fill(self, bytes: &mut [u8], place: u64, value: u64) -> Result<(), Overflow> {
        let distance = value.wrapping_sub(place);
        match self {
            Field::Absolute => bytes[..8].copy_from_slice(&value.to_le_bytes()),
            Field::Relative64 => bytes[..8].copy_from_slice(&distance.to_le_bytes()),
            Field::Relative32 => {
                let distance = i32::try_from(distance as i64).map_err(|_| Overflow)?;
                bytes[..4].copy_from_slice(&distance.to_le_bytes());
            }
        }
        Ok(())
    }
}

/// Writes the stub at address `stub` that jumps through `slot`.
pub fn write_stub(bytes: &mut [u8], stub: u64, slot: u64) {
    const JMP: [u8; 2] = [0xff, 0x25];
    // The distance counts from the end of the six-byte instruction.
    let distance = slot.wrapping_sub(stub + 6) as i32;
    bytes[..2].copy_from_slice(&JMP);
    bytes[2..6].copy_from_slice(&distance.to_le_bytes());
}
