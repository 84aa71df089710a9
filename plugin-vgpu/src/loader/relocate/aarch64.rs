//! Relocations of objects for 64-bit ARM ("ELF for the Arm 64-bit Architecture", section 5.7).

use object::Architecture;
use object::elf::{
    R_AARCH64_ABS32, R_AARCH64_ABS64, R_AARCH64_ADD_ABS_LO12_NC, R_AARCH64_ADR_GOT_PAGE,
    R_AARCH64_ADR_PREL_LO21, R_AARCH64_ADR_PREL_PG_HI21, R_AARCH64_CALL26, R_AARCH64_CONDBR19,
    R_AARCH64_JUMP26, R_AARCH64_LD_PREL_LO19, R_AARCH64_LD64_GOT_LO12_NC,
    R_AARCH64_LDST8_ABS_LO12_NC, R_AARCH64_LDST16_ABS_LO12_NC, R_AARCH64_LDST32_ABS_LO12_NC,
    R_AARCH64_LDST64_ABS_LO12_NC, R_AARCH64_LDST128_ABS_LO12_NC, R_AARCH64_NONE, R_AARCH64_PREL32,
    R_AARCH64_PREL64, R_AARCH64_TSTBR14, RelocationType,
};

use super::{Overflow, Request, Target};

/// The architecture.
pub const ARCHITECTURE: Architecture = Architecture::Aarch64;
/// Its name in messages.
pub const NAME: &str = "AArch64";
/// Size of a stub: `adrp x16, slot; ldr x16, [x16, slot]; br x16`, padded.
pub const STUB: u64 = 16;
/// The relocations of debug information that are applied, with their widths.
pub const ABSOLUTE: [(RelocationType, usize); 2] = [(R_AARCH64_ABS64, 8), (R_AARCH64_ABS32, 4)];

/// What a relocation fills in.
#[derive(Clone, Copy)]
pub enum Field {
    /// An address.
    Absolute,
    /// A distance, in 64 bits.
    Relative64,
    /// A distance, in 32 bits.
    Relative32,
    /// A distance in instructions, in as many bits of a branch or a load from this bit on.
    Words { bits: u32, from: u32 },
    /// A distance in bytes, in an `adr`.
    Near,
    /// A distance in pages, in an `adrp`.
    Page,
    /// The offset in the page, in units of as many bytes' logarithm, in an `add`, a load or a store.
    Offset { unit: u32 },
}

/// What a type of relocation asks for; `None` if it is not known.
pub fn decode(kind: RelocationType) -> Option<Request> {
    use Target::{Call, Slot, Symbol};
    let (target, field) = match kind {
        R_AARCH64_NONE => return Some(Request::Nothing),
        R_AARCH64_ABS32 => return Some(Request::ShortAddress),
        R_AARCH64_ABS64 => (Symbol, Field::Absolute),
        R_AARCH64_PREL64 => (Symbol, Field::Relative64),
        R_AARCH64_PREL32 => (Symbol, Field::Relative32),
        R_AARCH64_CALL26 | R_AARCH64_JUMP26 => (Call, Field::Words { bits: 26, from: 0 }),
        R_AARCH64_CONDBR19 | R_AARCH64_LD_PREL_LO19 => (Symbol, Field::Words { bits: 19, from: 5 }),
        R_AARCH64_TSTBR14 => (Symbol, Field::Words { bits: 14, from: 5 }),
        R_AARCH64_ADR_PREL_LO21 => (Symbol, Field::Near),
        R_AARCH64_ADR_PREL_PG_HI21 => (Symbol, Field::Page),
        R_AARCH64_ADD_ABS_LO12_NC | R_AARCH64_LDST8_ABS_LO12_NC => {
            (Symbol, Field::Offset { unit: 0 })
        }
        R_AARCH64_LDST16_ABS_LO12_NC => (Symbol, Field::Offset { unit: 1 }),
        R_AARCH64_LDST32_ABS_LO12_NC => (Symbol, Field::Offset { unit: 2 }),
        R_AARCH64_LDST64_ABS_LO12_NC => (Symbol, Field::Offset { unit: 3 }),
        R_AARCH64_LDST128_ABS_LO12_NC => (Symbol, Field::Offset { unit: 4 }),
        R_AARCH64_ADR_GOT_PAGE => (Slot, Field::Page),
        R_AARCH64_LD64_GOT_LO12_NC => (Slot, Field::Offset { unit: 3 }),
        _ => return None,
    };
    Some(Request::Fill(target, field))
}

impl Field {
    /// Its bytes.
    pub fn size(self) -> u64 {
        match self {
            Field::Absolute | Field::Relative64 => 8,
            _ => 4,
        }
    }

    /// Puts `value`, an address, into the field at the start of `bytes`, whose address is `place`.
    pub fn fill(self, bytes: &mut [u8], place: u64, value: u64) -> Result<(), Overflow> {
        let distance = value.wrapping_sub(place) as i64;
        match self {
            Field::Absolute => bytes[..8].copy_from_slice(&value.to_le_bytes()),
            Field::Relative64 => bytes[..8].copy_from_slice(&distance.to_le_bytes()),
            Field::Relative32 => {
                let distance = i32::try_from(distance).map_err(|_| Overflow)?;
                bytes[..4].copy_from_slice(&distance.to_le_bytes());
            }
            Field::Words { bits, from } => {
                if distance % 4 != 0 {
                    return Err(Overflow);
                }
                insert(bytes, signed(distance / 4, bits)?, bits, from);
            }
            Field::Near => insert_split(bytes, signed(distance, 21)?),
            Field::Page => {
                let pages = (value >> 12).wrapping_sub(place >> 12) as i64;
                insert_split(bytes, signed(pages, 21)?);
            }
            Field::Offset { unit } => {
                let offset = value as u32 & 0xfff;
                if offset % (1 << unit) != 0 {
                    return Err(Overflow);
                }
                insert(bytes, offset >> unit, 12, 10);
            }
        }
        Ok(())
    }
}

/// A number in this many bits.
fn signed(number: i64, bits: u32) -> Result<u32, Overflow> {
    let limit = 1 << (bits - 1);
    if (-limit..limit).contains(&number) {
        Ok(number as u32 & ((1 << bits) - 1))
    } else {
        Err(Overflow)
    }
}

/// Replaces `count` bits of an instruction, those from bit `from` on.
fn insert(instruction: &mut [u8], value: u32, count: u32, from: u32) {
    let old = u32::from_le_bytes([
        instruction[0],
        instruction[1],
        instruction[2],
        instruction[3],
    ]);
    let mask = ((1 << count) - 1) << from;
    let new = old & !mask | value << from;
    instruction[..4].copy_from_slice(&new.to_le_bytes());
}

/// The operand of `adr` and `adrp`: its two lowest bits stand apart.
fn insert_split(instruction: &mut [u8], value: u32) {
    insert(instruction, value & 3, 2, 29);
    insert(instruction, value >> 2, 19, 5);
}

/// Writes the stub at address `stub` that jumps through `slot`. x16 is there for that (AAPCS64, "Core registers").
pub fn write_stub(bytes: &mut [u8], stub: u64, slot: u64) {
    const ADRP: u32 = 0x9000_0010;
    const LDR: u32 = 0xf940_0210;
    const BR: u32 = 0xd61f_0200;
    for (word, instruction) in bytes.chunks_exact_mut(4).zip([ADRP, LDR, BR]) {
        word.copy_from_slice(&instruction.to_le_bytes());
    }
    // The layout keeps everything within 2 GiB, and slots are aligned.
    insert_split(
        bytes,
        ((slot >> 12).wrapping_sub(stub >> 12)) as u32 & 0x1f_ffff,
    );
    insert(&mut bytes[4..], (slot as u32 & 0xfff) >> 3, 12, 10);
}
