//! Functions of floating-point numbers (PTX ISA, "Floating Point Instructions"): NVPTX's intrinsics with `.approx` are
//! those of 32 bits, to which half precision is converted.

use super::emitter::Emitter;
use super::syntax::Instruction;
use super::types::{Kind, Ty};

const SINGLE: Ty = Ty {
    kind: Kind::Float,
    bits: 32,
    elements: 1,
};

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let name = instruction.opcode[0].as_str();
    let known = ["ex2", "lg2", "rcp", "sqrt", "rsqrt", "sin", "cos", "tanh"];
    if !known.contains(&name) {
        return None;
    }
    // cuRAND's headers write `lg2.approx.f32.ftz`, which ptxas takes, too.
    let mut parts = instruction.opcode.iter().rev();
    let ty = Ty::of(parts.find(|part| *part != "ftz")?)?;
    let [to, source] = instruction.operands.as_slice() else {
        return None;
    };
    let value = emitter.value(source, ty)?;
    let value = match (ty.bits, ty.elements) {
        (16, 1) => of_half(emitter, name, ty, &value),
        (16, _) => of_pair(emitter, name, ty, &value),
        (64, _) if matches!(name, "ex2" | "lg2" | "sin" | "cos" | "tanh") => return None,
        _ => {
            let mode = ["rz", "rm", "rp"]
                .into_iter()
                .find(|mode| instruction.has(mode));
            match (name, mode) {
                ("rcp" | "sqrt", Some(mode)) => {
                    let letter = if ty.bits == 32 { "f" } else { "d" };
                    let name = format!("llvm.nvvm.{name}.{mode}.{letter}");
                    emitter.call(&ty.llvm(), &name, &[(ty.llvm(), value)])
                }
                _ => plain(emitter, name, ty, &value),
            }
        }
    };
    emitter.assign(to, ty, &value)
}

fn plain(emitter: &mut Emitter, name: &str, ty: Ty, value: &str) -> String {
    let llvm = ty.llvm();
    let call = |emitter: &mut Emitter, name: &str| {
        emitter.call(
            &llvm,
            &format!("llvm.{name}.{}", ty.suffix()),
            &[(llvm.clone(), value.to_owned())],
        )
    };
    match name {
        "ex2" => call(emitter, "exp2"),
        "lg2" => call(emitter, "log2"),
        "rcp" => emitter.op(&format!("fdiv {llvm} 1.0, {value}")),
        "rsqrt" => {
            let root = call(emitter, "sqrt");
            emitter.op(&format!("fdiv {llvm} 1.0, {root}"))
        }
        _ => call(emitter, name),
    }
}

fn of_half(emitter: &mut Emitter, name: &str, ty: Ty, value: &str) -> String {
    let wide = emitter.op(&format!("fpext {} {value} to float", ty.llvm()));
    let result = plain(emitter, name, SINGLE, &wide);
    emitter.op(&format!("fptrunc float {result} to {}", ty.llvm()))
}

fn of_pair(emitter: &mut Emitter, name: &str, ty: Ty, value: &str) -> String {
    let mut whole = "poison".to_owned();
    for index in 0..2 {
        let each = emitter.op(&format!(
            "extractelement {} {value}, i32 {index}",
            ty.llvm()
        ));
        let each = of_half(emitter, name, ty.element(), &each);
        whole = emitter.op(&format!(
            "insertelement {} {whole}, {} {each}, i32 {index}",
            ty.llvm(),
            ty.element().llvm()
        ));
    }
    whole
}
