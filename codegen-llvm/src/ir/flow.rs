//! Changing where control goes.

use llvm_sys::LLVMOpcode;

use super::{Block, Builder, Context, Value};

impl Builder {
    /// Makes an empty block before another, which is then no longer the function's entry if it was.
    pub fn block_before(context: Context, next: Block) -> Block {
        Block(llvm!(core::LLVMInsertBasicBlockInContext(
            context.0,
            next.0,
            c"".as_ptr()
        )))
    }

    /// Moves an instruction here.
    pub fn take(&self, instruction: Value) {
        llvm!(core::LLVMInstructionRemoveFromParent(instruction.0));
        llvm!(core::LLVMInsertIntoBuilder(self.raw, instruction.0));
    }
}

impl Value {
    /// Sends a terminator's ways to `old` to `new` instead. Phis there are the caller's matter.
    pub fn redirect(self, old: Block, new: Block) {
        for (index, way) in self.successors().into_iter().enumerate() {
            if way == old {
                self.set_successor(index as u32, new);
            }
        }
    }
}

impl Block {
    /// Makes what phis of the block get from `old` come from `new`.
    pub fn rename_incoming(self, context: Context, old: Block, new: Block) {
        for phi in self.instructions() {
            if phi.opcode() != Some(LLVMOpcode::LLVMPHI) {
                return;
            }
            let renamed = Builder::before(context, phi).phi(phi.ty());
            for (value, from) in phi.incoming() {
                let value = if value == phi { renamed } else { value };
                renamed.add_incoming(value, if from == old { new } else { from });
            }
            // SAFETY: `instructions` is a snapshot, whose iteration goes on behind the phi.
            unsafe { phi.replace_with(renamed) };
        }
    }
}
