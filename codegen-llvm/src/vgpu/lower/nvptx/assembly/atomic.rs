//! Atomic operations (PTX ISA, "Parallel Synchronization and Communication Instructions": `atom`, `red`).

use super::emitter::Emitter;
use super::memory::{elements, typed_address};
use super::syntax::{Instruction, Operand};
use super::types::{Kind, Ty};

/// `atom[.sem][.scope][.space].op[.vec].type d, [a], b[, c]`; relaxed without a word. Each element of a vector is an
/// operation of its own.
pub fn emit(
    emitter: &mut Emitter,
    instruction: &Instruction,
    old: Option<&Operand>,
    at: &Operand,
    values: &[Operand],
) -> Option<()> {
    // The type of a vector's elements may stand before the operation.
    let parts = instruction.opcode.iter().rev();
    let ty = parts.into_iter().find_map(|part| Ty::of(part))?;
    let address = typed_address(emitter, instruction, at)?;
    let sizes = ["v2", "v4", "v8"].into_iter();
    let Some(count) = sizes.into_iter().find(|size| instruction.has(size)) else {
        let before = single(emitter, instruction, ty, &address, values)?;
        return old.map_or(Some(()), |old| emitter.assign(old, ty, &before));
    };
    let count = count[1..].parse::<usize>().ok()?;
    let [Operand::Tuple(values)] = values else {
        return None;
    };
    let olds = old.map_or_else(Vec::new, elements);
    if values.len() != count || (old.is_some() && olds.len() != count) {
        return None;
    }
    let (space, _) = address.rsplit_once(' ')?;
    for (index, value) in values.iter().enumerate() {
        let offset = index as u32 * ty.size() / 8;
        let element = emitter.op(&format!("getelementptr i8, {address}, i64 {offset}"));
        let element = format!("{space} {element}");
        let value = std::slice::from_ref(value);
        let before = single(emitter, instruction, ty, &element, value)?;
        if let Some(old) = olds.get(index) {
            emitter.assign(old, ty, &before)?;
        }
    }
    Some(())
}

/// The order that an instruction demands.
fn order(instruction: &Instruction) -> &'static str {
    let orders = ["acq_rel", "acquire", "release"].into_iter();
    let mut found = orders.filter(|name| instruction.has(name));
    found.next().unwrap_or("monotonic")
}

/// One operation. Gives what was there.
fn single(
    emitter: &mut Emitter,
    instruction: &Instruction,
    ty: Ty,
    address: &str,
    values: &[Operand],
) -> Option<String> {
    let (llvm, order) = (ty.llvm(), order(instruction));
    let arguments: Option<Vec<_>> = values
        .iter()
        .map(|value| emitter.value(value, ty))
        .collect();
    Some(match arguments?.as_slice() {
        [wanted, new] if instruction.has("cas") => {
            let failed = if matches!(order, "acq_rel" | "acquire") {
                "acquire"
            } else {
                "monotonic"
            };
            let both = emitter.op(&format!(
                "cmpxchg {address}, {llvm} {wanted}, {llvm} {new} {order} {failed}"
            ));
            emitter.op(&format!("extractvalue {{ {llvm}, i1 }} {both}, 0"))
        }
        [value] => {
            let operation = operation(instruction, ty)?;
            emitter.op(&format!(
                "atomicrmw {operation} {address}, {llvm} {value} {order}"
            ))
        }
        _ => return None,
    })
}

/// LLVM's name of an operation on a type.
pub fn operation(instruction: &Instruction, ty: Ty) -> Option<&'static str> {
    let known = [
        ("add", "add", "fadd"),
        ("min", "umin", "fmin"),
        ("max", "umax", "fmax"),
        ("and", "and", ""),
        ("or", "or", ""),
        ("xor", "xor", ""),
        ("exch", "xchg", ""),
        ("inc", "uinc_wrap", ""),
        ("dec", "udec_wrap", ""),
    ];
    let (name, whole, float) = known.into_iter().find(|(name, ..)| instruction.has(name))?;
    let operation = match (ty.kind, name) {
        (Kind::Signed, "min") => "min",
        (Kind::Signed, "max") => "max",
        (Kind::Float | Kind::Brain, _) => float,
        _ => whole,
    };
    (!operation.is_empty()).then_some(operation)
}
