//! Changes of the control flow.

use super::{Block, Builder, Context, Value};

impl Builder {
    /// Inserts an empty block before another. If that was the function's entry, the new block is.
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
    /// What a phi is if control comes from a block.
    pub fn incoming_from(self, block: Block) -> Option<Value> {
        let mut all = self.incoming().into_iter();
        all.find_map(|(value, from)| (from == block).then_some(value))
    }

    /// Redirects a terminator's edges from `old` to `new`. The caller updates the phis of both.
    pub fn redirect(self, old: Block, new: Block) {
        for (index, way) in self.successors().into_iter().enumerate() {
            if way == old {
                self.set_successor(index as u32, new);
            }
        }
    }
}

impl Block {
    /// Its phis in order; a snapshot.
    pub fn phis(self) -> impl Iterator<Item = Value> {
        self.instructions().into_iter().filter(|it| it.is_phi())
    }

    /// In the block's phis, replaces the predecessor `old` by `new`.
    pub fn rename_incoming(self, context: Context, old: Block, new: Block) {
        for phi in self.instructions() {
            if !phi.is_phi() {
                return;
            }
            let renamed = Builder::before(context, phi).phi(phi.ty());
            for (value, from) in phi.incoming() {
                let value = if value == phi { renamed } else { value };
                renamed.add_incoming(value, if from == old { new } else { from });
            }
            // SAFETY: `instructions` is a snapshot, and this loop does not look at the phi again.
            unsafe { phi.replace_with(renamed) };
        }
    }
}
