//! Keeps null pointers null (NVIDIA GPUs).
//!
//! LLVM's back end infers address spaces. Where control flow yields either a pointer to shared memory or null, it goes
//! on with shared addresses, 0 in place of null, and makes a generic pointer of the result. That is then the first byte
//! of shared memory, which is not null (docs/decisions/0077-address-spaces-on-nvidia-gpus.md).
//!
//! A frozen null is one whose space the back end does not infer. A pointer that is only accessed need not be kept:
//! nobody accesses null.

use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMValueKind;

use crate::ir::{Block, Builder, Module, Value};

/// Freezes null where it is one of several pointers, and the program may ask whether it is null.
pub fn run(module: &Module) {
    let functions = module.definitions().into_iter();
    for choice in functions.flat_map(Value::instructions) {
        let generic = choice.ty().is_pointer() && choice.ty().address_space() == 0;
        if generic && matches!(choice.opcode(), Some(LLVMPHI | LLVMSelect)) && is_observed(choice) {
            freeze_nulls(module, choice);
        }
    }
}

/// Whether anything but accesses to memory uses a pointer.
fn is_observed(pointer: Value) -> bool {
    pointer.users().into_iter().any(|user| match user.opcode() {
        Some(LLVMLoad) => false,
        Some(LLVMStore) => user.operand(0) == pointer,
        Some(LLVMGetElementPtr) => is_observed(user),
        _ => true,
    })
}

fn is_null(value: Value) -> bool {
    value.kind() == LLVMValueKind::LLVMConstantPointerNullValueKind
}

fn freeze_nulls(module: &Module, choice: Value) {
    if choice.is_phi() {
        let mut frozen: Vec<(Block, Value)> = Vec::new();
        for (index, (value, from)) in choice.incoming().into_iter().enumerate() {
            if !is_null(value) {
                continue;
            }
            // Edges from one block have one value.
            let known = frozen.iter().find(|(block, _)| *block == from);
            let null = match (known, from.terminator()) {
                (Some(&(_, null)), _) => null,
                (None, Some(end)) => Builder::before(module.context, end).freeze(value),
                (None, None) => continue,
            };
            frozen.push((from, null));
            choice.set_operand(index as u32, null);
        }
        return;
    }
    for index in [1, 2] {
        let value = choice.operand(index);
        if is_null(value) {
            choice.set_operand(index, Builder::before(module.context, choice).freeze(value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, Machine};

    const TAKE: &str =
        "target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
@pool = internal addrspace(3) global [256 x i8] poison, align 16
define noundef ptr @take(i64 %i) noinline {
  %fits = icmp ult i64 %i, 256
  br i1 %fits, label %here, label %end
here:
  %place = getelementptr i8, ptr addrspacecast (ptr addrspace(3) @pool to ptr), i64 %i
  br label %end
end:
  %it = phi ptr [ null, %0 ], [ %place, %here ]
  ret ptr %it
}
define noundef ptr @choose(i1 %c) noinline {
  %it = select i1 %c, ptr null, ptr addrspacecast (ptr addrspace(3) @pool to ptr)
  ret ptr %it
}
";

    fn ptx(module: &Module) -> String {
        let assembly = Machine::nvidia().emit_assembly(module).unwrap();
        String::from_utf8(assembly).unwrap()
    }

    #[test]
    fn null_is_not_the_first_byte_of_shared_memory() {
        let module = || Module::parse(Context::new(), TAKE, "test").unwrap();
        // If this fails, LLVM has mended it: the pass can go.
        assert!(ptx(&module()).contains("cvta.to.shared"));
        let kept = module();
        run(&kept);
        kept.verify("after the pass").unwrap();
        let text = ptx(&kept);
        assert!(!text.contains("cvta.to.shared"), "{text}");
    }

    #[test]
    fn a_pointer_that_is_only_accessed_stays() {
        let text = "define i32 @f(i1 %c, ptr %p) {
  %it = select i1 %c, ptr null, ptr %p
  %next = getelementptr i8, ptr %it, i64 4
  %x = load i32, ptr %next
  ret i32 %x
}";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(&module);
        assert!(!module.print().contains("freeze"));
    }

    #[test]
    fn two_edges_from_a_block_have_one_null() {
        let text = "define ptr @f(i32 %c, ptr %p) {
  switch i32 %c, label %other [ i32 1, label %end
    i32 2, label %end ]
other:
  br label %end
end:
  %it = phi ptr [ null, %0 ], [ null, %0 ], [ %p, %other ]
  ret ptr %it
}";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(&module);
        module.verify("after the pass").unwrap();
        assert_eq!(module.print().matches("freeze").count(), 1);
    }
}
