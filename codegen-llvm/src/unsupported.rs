//! What LLVM's NVPTX back end has no code for, and ends the process over instead of saying so.

use anyhow::{Result, bail};
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMTypeKind::{LLVMFP128TypeKind, LLVMIntegerTypeKind, LLVMX86_FP80TypeKind};

use crate::ir::{Module, Type, Value};
use crate::vgpu::sites::describe;

/// Widest integer whose conversion the back end has. (Division of wider ones it expands.)
const WIDEST: u32 = 64;

/// Refuses the first instruction that has no code, by its place.
pub fn refuse(module: &Module) -> Result<()> {
    for function in module.definitions() {
        for instruction in function.instructions() {
            if let Some(what) = unsupported(instruction) {
                bail!(
                    "device code uses {what}, {}",
                    describe(module.context, instruction)
                );
            }
        }
    }
    Ok(())
}

fn unsupported(instruction: Value) -> Option<&'static str> {
    let types = || {
        let operands = instruction.operands().into_iter().map(Value::ty);
        operands.chain([instruction.ty()])
    };
    if types().any(is_long_double) {
        return Some("long double, which NVIDIA's GPUs do not have (double has 64 bits there)");
    }
    const CONVERSIONS: [LLVMOpcode; 4] = [LLVMFPToUI, LLVMFPToSI, LLVMUIToFP, LLVMSIToFP];
    let converts = instruction
        .opcode()
        .is_some_and(|opcode| CONVERSIONS.contains(&opcode));
    (converts && types().any(is_wide)).then_some(
        "conversion between 128-bit integers and floating point, which LLVM's NVPTX back end has no code for",
    )
}

fn is_long_double(ty: Type) -> bool {
    matches!(ty.kind(), LLVMX86_FP80TypeKind | LLVMFP128TypeKind)
}

fn is_wide(ty: Type) -> bool {
    ty.kind() == LLVMIntegerTypeKind && ty.int_width() > WIDEST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    fn refusal(body: &str) -> Option<String> {
        let text = format!("define i128 @f(i128 %a, i128 %b, double %d) {{\n{body}\n}}");
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        refuse(&module).err().map(|error| error.to_string())
    }

    #[test]
    fn conversions_of_wide_integers() {
        let refused = refusal("%r = fptosi double %d to i128\nret i128 %r").unwrap();
        assert!(
            refused.contains("128-bit integers") && refused.contains("`f`"),
            "{refused}"
        );
        assert_eq!(refusal("%r = udiv i128 %a, %b\nret i128 %r"), None);
        let narrow = "%n = fptosi double %d to i64\n%r = sext i64 %n to i128\nret i128 %r";
        assert_eq!(refusal(narrow), None);
    }

    #[test]
    fn long_double() {
        let refused = refusal("%x = fpext double %d to x86_fp80\nret i128 0").unwrap();
        assert!(refused.contains("long double"), "{refused}");
    }
}
