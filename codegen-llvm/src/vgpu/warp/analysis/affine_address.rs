//! Addresses as affine sums of values known only at run time and of a constant, to tell how far apart two addresses
//! are.

use indexmap::IndexMap;
use llvm_sys::LLVMOpcode;

use crate::ir::{Builder, Context, Layout, Type, Value};

/// How many nested sums are looked into.
const DEPTH: u32 = 8;

/// An address: a pointer, multiples of values, and a constant number of bytes.
pub struct AffineAddress {
    pointer: Value,
    terms: IndexMap<(Value, Extension), i64>,
    offset: i64,
}

/// How a value is extended to 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Extension {
    Signed,
    Unsigned,
}

impl AffineAddress {
    /// The affine sum of an address.
    pub fn of(layout: Layout, address: Value) -> AffineAddress {
        let mut sum = AffineAddress {
            pointer: address,
            terms: IndexMap::new(),
            offset: 0,
        };
        loop {
            match sum.pointer.opcode() {
                Some(LLVMOpcode::LLVMAddrSpaceCast) => {}
                Some(LLVMOpcode::LLVMGetElementPtr) => sum.add_indices(layout),
                _ => break,
            }
            sum.pointer = sum.pointer.operand(0);
        }
        sum.terms.retain(|_, factor| *factor != 0);
        sum
    }

    /// How many bytes another address lies behind this one, if that is known.
    pub fn bytes_to(&self, other: &AffineAddress) -> Option<i64> {
        let same = self.pointer == other.pointer && self.terms == other.terms;
        same.then(|| other.offset.wrapping_sub(self.offset))
    }

    /// By how much the address grows when its values do. `step` has by how much a value does, as a number with or
    /// without sign.
    pub fn step(&self, step: impl Fn(Value, bool) -> Option<i64>) -> Option<i64> {
        let terms = self.terms.iter().map(|((value, extension), factor)| {
            let step = step(*value, *extension == Extension::Signed)?;
            step.checked_mul(*factor)
        });
        let mut sum = step(self.pointer, true)?;
        for term in terms {
            sum = sum.checked_add(term?)?;
        }
        Some(sum)
    }

    /// Computes the flat address, with other values in place of its own.
    pub fn emit(
        &self,
        context: Context,
        builder: &Builder,
        value_of: impl Fn(Value) -> Value,
    ) -> Value {
        let int = Type::int(context, 64);
        let mut bytes = Value::int(int, self.offset as u64);
        for ((value, extension), factor) in &self.terms {
            let value = value_of(*value);
            let opcode = match extension {
                Extension::Signed => LLVMOpcode::LLVMSExt,
                Extension::Unsigned => LLVMOpcode::LLVMZExt,
            };
            let wide = match is_word(value.ty()) {
                true => value,
                false => builder.cast(opcode, value, int),
            };
            let factor = Value::int(int, *factor as u64);
            let term = builder.binary(LLVMOpcode::LLVMMul, wide, factor);
            bytes = builder.binary(LLVMOpcode::LLVMAdd, bytes, term);
        }
        let pointer = builder.to_space(value_of(self.pointer), Type::pointer(context));
        builder.byte_offset(pointer, bytes)
    }

    /// Whether only multiples of more than `size` bytes, added to one pointer, differ among the lanes. Then the lanes'
    /// addresses hardly lie `size` bytes apart.
    pub fn is_spread(&self, size: i64, differs: impl Fn(Value) -> bool) -> bool {
        let is_wide = |((value, _), factor): (&(Value, Extension), &i64)| {
            let step = factor.wrapping_mul(multiplier(*value));
            step.unsigned_abs() > size.unsigned_abs()
        };
        let terms = || self.terms.iter().filter(|((value, _), _)| differs(*value));
        !differs(self.pointer) && terms().next().is_some() && terms().all(is_wide)
    }

    /// Adds the indices of `self.pointer`, a `getelementptr`.
    fn add_indices(&mut self, layout: Layout) {
        let mut ty = self.pointer.source_element_type();
        for operand in 1..self.pointer.operand_count() {
            let index = self.pointer.operand(operand);
            if operand > 1 && ty.is_structure() {
                let field = index.as_int().unwrap_or(0) as u32;
                self.offset += layout.field_offset(ty, field) as i64;
                ty = ty.element(field);
                continue;
            }
            if operand > 1 {
                ty = ty.element(0);
            }
            let size = layout.alloc_size(ty) as i64;
            self.add(index, Extension::Signed, size, DEPTH);
        }
    }

    /// Adds `factor` times a value. A sum that does not overflow before it is extended is added term by term.
    fn add(&mut self, value: Value, extension: Extension, factor: i64, depth: u32) {
        if let Some(constant) = constant(value, extension) {
            self.offset = self.offset.wrapping_add(constant.wrapping_mul(factor));
            return;
        }
        if depth > 0 {
            let is_sum = match extension {
                _ if value.is_disjoint() => true,
                _ if !value.ty().is_int() || value.opcode() != Some(LLVMOpcode::LLVMAdd) => false,
                _ if value.ty().int_width() == 64 => true,
                Extension::Signed => value.cannot_overflow(),
                Extension::Unsigned => value.cannot_carry(),
            };
            if is_sum {
                self.add(value.operand(0), extension, factor, depth - 1);
                self.add(value.operand(1), extension, factor, depth - 1);
                return;
            }
            // The extension matters only below 64 bits: this value has 64 bits itself.
            let inner = match value.opcode() {
                Some(LLVMOpcode::LLVMSExt) => Some(Extension::Signed),
                Some(LLVMOpcode::LLVMZExt) if value.is_of_nonnegative() => Some(Extension::Signed),
                Some(LLVMOpcode::LLVMZExt) => Some(Extension::Unsigned),
                _ => None,
            };
            if let Some(inner) = inner.filter(|_| is_word(value.ty())) {
                self.add(value.operand(0), inner, factor, depth - 1);
                return;
            }
        }
        let sum = self.terms.entry((value, extension)).or_insert(0);
        *sum = sum.wrapping_add(factor);
    }
}

/// The constant factor of a value, as far as its last operation shows it.
fn multiplier(value: Value) -> i64 {
    let constant = || value.operand(1).as_signed_int().unwrap_or(1);
    match value.opcode() {
        Some(LLVMOpcode::LLVMMul) => constant(),
        Some(LLVMOpcode::LLVMShl) => 1_i64.checked_shl(constant() as u32).unwrap_or(1),
        _ => 1,
    }
}

fn is_word(ty: Type) -> bool {
    ty.is_int() && ty.int_width() == 64
}

/// A constant, extended.
fn constant(value: Value, extension: Extension) -> Option<i64> {
    match extension {
        Extension::Signed => value.as_signed_int(),
        Extension::Unsigned => value.as_int().map(|number| number as i64),
    }
}
