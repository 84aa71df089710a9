//! Registers of inline assembly without instructions, for AMD's GPUs.
//!
//! Programs hide a value from the optimiser with `asm volatile("" : "+r"(x))`. On AMD's GPUs `r` is a scalar register,
//! which holds one value for the whole wave. LLVM checks that when it writes the instructions, and ends the process. As
//! nothing reads the register, a vector register (`v`) serves as well, and holds a value for each lane.

use crate::ir::{Module, Value};

/// Gives assembly without instructions vector registers where the program asks for any register.
pub fn run(module: &Module) {
    for function in module.definitions() {
        let calls = function.instructions();
        for call in calls.into_iter().filter(|it| it.is_call()) {
            let assembly = call.called();
            if !assembly.is_inline_assembly() || !assembly.assembly_text().trim().is_empty() {
                continue;
            }
            let constraints = assembly.assembly_constraints();
            let vector = in_vector_registers(&constraints);
            if vector != constraints {
                // A call without a result has a reason only in its side effects.
                let ty = call.called_type();
                let vector = Value::inline_assembly(ty, "", &vector, true);
                call.set_operand(call.operand_count() - 1, vector);
            }
        }
    }
}

/// The constraints with `v` in place of `r`: `=r,0` is `=v,0` then.
fn in_vector_registers(constraints: &str) -> String {
    let one = |constraint: &str| match constraint.strip_suffix('r') {
        Some(kind) if kind.chars().all(|it| "=&%".contains(it)) => format!("{kind}v"),
        _ => constraint.to_owned(),
    };
    let all: Vec<String> = constraints.split(',').map(one).collect();
    all.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    #[test]
    fn any_register_is_a_vector_register() {
        assert_eq!(in_vector_registers("=r,0"), "=v,0");
        assert_eq!(in_vector_registers("=&r,r,~{memory}"), "=&v,v,~{memory}");
        assert_eq!(in_vector_registers("=*m,*m,s,{r}"), "=*m,*m,s,{r}");
    }

    #[test]
    fn only_without_instructions() {
        let text = "target triple = \"amdgcn-amd-amdhsa\"
define i32 @f(i32 %x) {
  %hidden = call i32 asm sideeffect \"\", \"=r,0\"(i32 %x)
  call void asm sideeffect \" \", \"r,~{memory}\"(i32 %x)
  %moved = call i32 asm \"s_mov_b32 $0, $1\", \"=r,r\"(i32 %hidden)
  ret i32 %moved
}";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(&module);
        module.verify("after empty-assembly").unwrap();
        let text = module.print();
        for part in [
            "asm sideeffect \"\", \"=v,0\"(i32 %x)",
            "asm sideeffect \"\", \"v,~{memory}\"(i32 %x)",
            "asm \"s_mov_b32 $0, $1\", \"=r,r\"(i32 %hidden)",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
