//! Basic blocks.

use llvm_sys::prelude::LLVMBasicBlockRef;

use super::Value;
use super::value::wrap;

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block(pub(super) LLVMBasicBlockRef);

impl Block {
    /// Its instructions in order; a snapshot.
    pub fn instructions(self) -> Vec<Value> {
        let mut instructions = Vec::new();
        let mut next = wrap(llvm!(core::LLVMGetFirstInstruction(self.0)));
        while let Some(instruction) = next {
            instructions.push(instruction);
            next = instruction.next();
        }
        instructions
    }

    /// Its last instruction.
    pub fn terminator(self) -> Option<Value> {
        wrap(llvm!(core::LLVMGetBasicBlockTerminator(self.0)))
    }

    /// The blocks control may go to next.
    pub fn successors(self) -> Vec<Block> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    /// The blocks control comes from.
    pub fn predecessors(self) -> Vec<Block> {
        let value = Value(llvm!(core::LLVMBasicBlockAsValue(self.0)));
        let mut blocks: Vec<_> = value.users().into_iter().map(Value::block).collect();
        blocks.retain(|block| block.successors().contains(&self));
        blocks.dedup();
        blocks
    }

    /// Its name, empty if it has none.
    #[cfg(test)]
    pub fn name(self) -> String {
        Value(llvm!(core::LLVMBasicBlockAsValue(self.0))).name()
    }

    /// Moves it in front of another one of its function: to the beginning of the function if that was first.
    pub fn move_before(self, other: Block) {
        llvm!(core::LLVMMoveBasicBlockBefore(self.0, other.0));
    }

    /// Moves it behind another one, which may be in another function.
    pub fn move_behind(self, other: Block) {
        llvm!(core::LLVMMoveBasicBlockAfter(self.0, other.0));
    }

    /// Removes it from its function.
    ///
    /// # Safety
    ///
    /// Nothing refers to it, and no handle to it or its instructions is used afterwards.
    pub unsafe fn delete(self) {
        llvm!(core::LLVMDeleteBasicBlock(self.0));
    }

    /// The function it is in.
    pub fn function(self) -> Value {
        Value(llvm!(core::LLVMGetBasicBlockParent(self.0)))
    }
}
