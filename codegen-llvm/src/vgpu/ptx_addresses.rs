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
        let base = self.pointer(base);
        Builder::before(self.context, number).byte_offset(base, offset)
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
