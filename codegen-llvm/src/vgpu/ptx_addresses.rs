//! Makes pointers of the integers that addresses are in an image that was PTX.
//!
//! Needs: registers made values. Leaves: `getelementptr` instead of additions where a pointer is known to be in the
//! sum, so that the passes that follow see the base of an address (`window`) and which memory it means.

use std::collections::{HashMap, HashSet};

use llvm_sys::LLVMOpcode;

use crate::ir::{Builder, Context, Type, Value};

/// Rewrites a function.
pub fn run(context: Context, function: Value) {
    let mut addresses = Addresses {
        context,
        based: based(function),
        pointers: HashMap::new(),
    };
    for instruction in function.instructions() {
        if instruction.opcode() != Some(LLVMOpcode::LLVMIntToPtr) || !is_generic(instruction) {
            continue;
        }
        let number = instruction.operand(0);
        // A leaf alone is what it was.
        if addresses.has_base(number) && !is_leaf(number) {
            let pointer = addresses.pointer(number);
            instruction.replace_all_uses(pointer);
        }
    }
}

/// Numbers that are an address plus something, and the pointers that were made of them.
struct Addresses {
    context: Context,
    based: HashSet<Value>,
    pointers: HashMap<Value, Value>,
}

/// Whether a pointer is of the generic space.
fn is_generic(pointer: Value) -> bool {
    pointer.ty().is_pointer() && pointer.ty().address_space() == 0
}

/// A number that may be an address as a whole: what was a pointer, a parameter, a value from memory. If it is none, its
/// use as a base costs a test.
fn is_leaf(number: Value) -> bool {
    match number.operation() {
        Some(LLVMOpcode::LLVMPtrToInt) => is_generic(number.operand(0)),
        Some(LLVMOpcode::LLVMLoad) => true,
        Some(LLVMOpcode::LLVMAdd) => constant_sum(number).is_some(),
        Some(_) => false,
        None => number.function_of_parameter().is_some(),
    }
}

/// A variable's address and the distance from it: LLVM adds distances to constant addresses first.
fn constant_sum(number: Value) -> Option<(Value, Value)> {
    if number.constant_opcode() != Some(LLVMOpcode::LLVMAdd) {
        return None;
    }
    let (left, right) = (number.operand(0), number.operand(1));
    let is_address =
        |it: Value| it.constant_opcode() == Some(LLVMOpcode::LLVMPtrToInt) && is_leaf(it);
    match (is_address(left), is_address(right)) {
        (true, _) => Some((left.operand(0), right)),
        (_, true) => Some((right.operand(0), left)),
        _ => None,
    }
}

/// The operands of a sum that one can be an address of.
fn summands(number: Value) -> Option<[Value; 2]> {
    let adds = match number.opcode()? {
        LLVMOpcode::LLVMAdd => true,
        LLVMOpcode::LLVMOr => number.is_disjoint(),
        _ => false,
    };
    adds.then(|| [number.operand(0), number.operand(1)])
}

/// The sums and phis of a function that have an address in them: the largest set in which each does.
fn based(function: Value) -> HashSet<Value> {
    let is_candidate = |number: &Value| {
        number.ty().is_int()
            && number.ty().int_width() == 64
            && (number.is_phi() || summands(*number).is_some())
    };
    let mut based: HashSet<Value> = function
        .instructions()
        .into_iter()
        .filter(is_candidate)
        .collect();
    loop {
        let has_base = |number: Value| is_leaf(number) || based.contains(&number);
        let wrong: Vec<_> = based
            .iter()
            .copied()
            .filter(|number| match summands(*number) {
                Some(parts) => !parts.into_iter().any(has_base),
                None => !number
                    .incoming()
                    .into_iter()
                    .all(|(value, _)| has_base(value)),
            })
            .collect();
        if wrong.is_empty() {
            return based;
        }
        wrong.iter().for_each(|number| {
            based.remove(number);
        });
    }
}

/// The largest size of an element that is looked for.
const LARGEST_ELEMENT: u64 = 1 << 12;

/// The index and the size of an element of which an offset is the product, where the index is extended from fewer bits,
/// before or behind the multiplication.
fn scaled(builder: &Builder, offset: Value) -> Option<(Value, u64)> {
    let is_extension = |value: Value| {
        let extends = matches!(
            value.opcode(),
            Some(LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt)
        );
        extends.then_some(value)
    };
    let factor = |product: Value| {
        let opcode = product.opcode()?;
        if !matches!(opcode, LLVMOpcode::LLVMShl | LLVMOpcode::LLVMMul) {
            return None;
        }
        let number = product.operand(1).as_int()?;
        let factor = match opcode {
            LLVMOpcode::LLVMShl => 1u64.checked_shl(number.try_into().ok()?)?,
            _ => number,
        };
        (2..=LARGEST_ELEMENT).contains(&factor).then_some(factor)
    };
    let Some(extended) = is_extension(offset) else {
        let size = factor(offset)?;
        return Some((is_extension(offset.operand(0))?, size));
    };
    let product = extended.operand(0);
    let size = factor(product)?;
    let is_signed = extended.opcode() == Some(LLVMOpcode::LLVMSExt);
    if !product.keeps_value(is_signed) {
        return None;
    }
    let opcode = extended.opcode()?;
    Some((
        builder.cast(opcode, product.operand(0), extended.ty()),
        size,
    ))
}

impl Addresses {
    fn has_base(&self, number: Value) -> bool {
        is_leaf(number) || self.based.contains(&number)
    }

    /// The pointer that a number with a base is.
    fn pointer(&mut self, number: Value) -> Value {
        if let Some(&known) = self.pointers.get(&number) {
            return known;
        }
        let pointer = match (summands(number), number.is_phi()) {
            (Some(parts), _) => self.sum(number, parts),
            (None, true) => return self.phi(number),
            (None, false) => self.leaf(number),
        };
        self.pointers.insert(number, pointer);
        pointer
    }

    /// A pointer and an offset. What was a pointer goes before what may be one.
    fn sum(&mut self, number: Value, [left, right]: [Value; 2]) -> Value {
        let left_first = self.has_base(left)
            && (!is_leaf(left) || left.operation().is_some() || !self.has_base(right));
        let (base, offset) = if left_first {
            (left, right)
        } else {
            (right, left)
        };
        let builder = Builder::before(self.context, number);
        // The constant distance comes last: then all that is at such a distance has the other part of its address.
        if let Some((variable, distance)) = constant_sum(base) {
            let element = self.element(&builder, variable, offset);
            return builder.byte_offset(element, distance);
        }
        let base = self.pointer(base);
        self.element(&builder, base, offset)
    }

    /// A pointer and an offset, which may be an index times the size of an element: what follows wants to know how an
    /// index was extended from 32 bits.
    fn element(&self, builder: &Builder, base: Value, offset: Value) -> Value {
        let byte = Type::int(self.context, 8);
        let (index, size) = scaled(builder, offset).unwrap_or((offset, 1));
        let ty = match size {
            1 | 2 | 4 | 8 => Type::int(self.context, 8 * size as u32),
            _ => byte.array(size),
        };
        builder.element_pointer(ty, base, &[index])
    }

    fn phi(&mut self, number: Value) -> Value {
        let phi = Builder::before(self.context, number).phi(Type::pointer(self.context));
        self.pointers.insert(number, phi);
        for (value, block) in number.incoming() {
            let pointer = self.pointer(value);
            phi.add_incoming(pointer, block);
        }
        phi
    }

    fn leaf(&self, number: Value) -> Value {
        if number.operation() == Some(LLVMOpcode::LLVMPtrToInt) {
            return number.operand(0);
        }
        if let Some((variable, distance)) = constant_sum(number) {
            return Builder::constant_byte_offset(self.context, variable, distance);
        }
        let place = match number.function_of_parameter() {
            Some(function) => function.blocks()[0].instructions().first().copied(),
            None => number.next(),
        };
        let place = place.unwrap_or(number);
        Builder::before(self.context, place).cast(
            LLVMOpcode::LLVMIntToPtr,
            number,
            Type::pointer(self.context),
        )
    }
}
