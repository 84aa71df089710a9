//! The least and the greatest of floating-point numbers (PTX ISA, "min", "max" of floating-point and half precision).

use super::arithmetic::clamped;
use super::emitter::Emitter;
use super::syntax::Instruction;
use super::types::Ty;

/// `min{.NaN}{.xorsign}{.abs}.type d, a, b`, and `min{.NaN}{.abs}.f32 d, a, b, c`. Without `.NaN` a number wins.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction, ty: Ty) -> Option<()> {
    let (to, sources) = instruction.operands.split_first()?;
    if !matches!(sources.len(), 2 | 3) {
        return None;
    }
    let xorsign = instruction.has("xorsign");
    let (mut numbers, mut signs) = (Vec::new(), None);
    for source in sources {
        let value = emitter.value(source, ty)?;
        if xorsign {
            signs = Some(signs_of(emitter, ty, &value, signs));
        }
        numbers.push(match instruction.has("abs") {
            true => unary(emitter, "fabs", ty, &value),
            false => value,
        });
    }
    let kind = if instruction.has("NaN") { "" } else { "num" };
    let name = format!("llvm.{}imum{kind}.{}", instruction.opcode[0], ty.suffix());
    let mut numbers = numbers.into_iter();
    let mut result = numbers.next()?;
    for number in numbers {
        let both = [result, number].map(|value| (ty.llvm(), value));
        result = emitter.call(&ty.llvm(), &name, &both);
    }
    if let Some(signs) = signs {
        result = with_signs(emitter, ty, &result, &signs);
    }
    let result = clamped(emitter, instruction, ty, result);
    emitter.assign(to, ty, &result)
}

fn unary(emitter: &mut Emitter, name: &str, ty: Ty, value: &str) -> String {
    let name = format!("llvm.{name}.{}", ty.suffix());
    emitter.call(&ty.llvm(), &name, &[(ty.llvm(), value.to_owned())])
}

/// The type of a number's bits.
fn bits_of(ty: Ty) -> String {
    match ty.elements {
        1 => format!("i{}", ty.bits),
        count => format!("<{count} x i{}>", ty.bits),
    }
}

/// The bits of a number, whose highest one is the sign; those of another one are added without a carry.
fn signs_of(emitter: &mut Emitter, ty: Ty, value: &str, others: Option<String>) -> String {
    let whole = bits_of(ty);
    let bits = emitter.op(&format!("bitcast {} {value} to {whole}", ty.llvm()));
    match others {
        Some(others) => emitter.op(&format!("xor {whole} {bits}, {others}")),
        None => bits,
    }
}

/// A number with another's sign. NaN stays as it is.
fn with_signs(emitter: &mut Emitter, ty: Ty, value: &str, signs: &str) -> String {
    let (llvm, whole) = (ty.llvm(), bits_of(ty));
    let signs = emitter.op(&format!("bitcast {whole} {signs} to {llvm}"));
    let both = [value.to_owned(), signs].map(|value| (llvm.clone(), value));
    let signed = emitter.call(&llvm, &format!("llvm.copysign.{}", ty.suffix()), &both);
    let conditions = match ty.elements {
        1 => "i1".to_owned(),
        count => format!("<{count} x i1>"),
    };
    let is_nan = emitter.op(&format!("fcmp uno {llvm} {value}, {value}"));
    emitter.op(&format!(
        "select {conditions} {is_nan}, {llvm} {value}, {llvm} {signed}"
    ))
}
