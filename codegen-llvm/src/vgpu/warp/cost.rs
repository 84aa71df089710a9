//! What a warp form costs the host's back end.
//!
//! A vector takes as many registers of the host as hold its lanes, and an operation on it is that many instructions.
//! The time of the back end grows with their number (docs/decisions/0050-costly-warp-forms.md).

use llvm_sys::LLVMTypeKind;

use crate::ir::{Layout, Machine, Type, Value};
use crate::vgpu::warp::refusal::Refusal;

/// Most instructions of the host, as they are counted here, that a warp form may have.
const MAX_INSTRUCTIONS: u64 = 60_000;

/// Refuses a warp form that costs too much. `bits` are those of the host's vector registers.
pub fn check(form: Value, layout: &Layout, bits: u64) -> Result<(), Refusal> {
    let instructions = form.instructions().into_iter();
    let cost: u64 = instructions.map(|it| registers(it, layout, bits)).sum();
    match cost > MAX_INSTRUCTIONS {
        true => Err(Refusal::new(format!(
            "its warp form would be {cost} instructions of this CPU; {MAX_INSTRUCTIONS} are the limit"
        ))),
        false => Ok(()),
    }
}

/// Bits of a vector register of the host.
pub fn register_bits(machine: &Machine) -> u64 {
    match machine {
        _ if machine.has("avx512f") => 512,
        _ if machine.has("avx") => 256,
        _ => 128,
    }
}

/// The registers of an instruction's widest value: its result or an operand.
fn registers(instruction: Value, layout: &Layout, bits: u64) -> u64 {
    let of_type = |ty: Type| match ty.kind() {
        LLVMTypeKind::LLVMVectorTypeKind => (8 * layout.alloc_size(ty)).div_ceil(bits),
        _ => 1,
    };
    let operands = instruction.operands().into_iter();
    let widest = operands.map(|operand| of_type(operand.ty())).max();
    widest.unwrap_or(1).max(of_type(instruction.ty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, Module};

    #[test]
    fn the_host_decides_how_much_is_too_much() {
        let sums = "  %b = add <32 x i64> %a, %a\n";
        let text = format!(
            "define void @form(<32 x i64> %a) {{\n{}  ret void\n}}\n",
            (0..4000)
                .map(|number| sums.replace("%b", &format!("%b{number}")))
                .collect::<String>()
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        let form = module.function("form").unwrap();
        let check = |bits| check(form, &module.layout(), bits);
        let refusal = check(128).unwrap_err().0;
        assert!(refusal.contains("would be 64001 instructions"), "{refusal}");
        assert_eq!(check(512), Ok(()));
    }
}
