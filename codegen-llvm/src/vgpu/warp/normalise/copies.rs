//! Copies of blocks.

use std::collections::HashMap;

use crate::ir::{Block, Builder, Context, Value};

/// Copies of blocks, and of the values in them.
#[derive(Default)]
pub struct Copies {
    /// By the original: the copy.
    pub blocks: HashMap<Block, Block>,
    /// By the original: what copies use in its place.
    pub values: HashMap<Value, Value>,
}

impl Copies {
    /// Copies blocks that have no phis, and that share only values computed before them with other blocks. `values`
    /// says which of these have a replacement in the copies. In the debug information the copies are inlined calls of
    /// their own: a debugger stops at a line once per inlined call (gdb: at its lowest address).
    pub fn of(
        context: Context,
        function: Value,
        blocks: &[Block],
        values: HashMap<Value, Value>,
    ) -> Copies {
        let mut copies = Copies {
            blocks: HashMap::new(),
            values,
        };
        for &block in blocks {
            let copy = Builder::append_block(context, function, "");
            copies.blocks.insert(block, copy);
        }
        let mut made = Vec::new();
        for block in blocks {
            let builder = Builder::at_end(context, copies.blocks[block]);
            for instruction in block.instructions() {
                let new = builder.copy_of(instruction);
                new.set_location_apart(context);
                copies.values.insert(instruction, new);
                made.push(new);
            }
        }
        made.into_iter()
            .for_each(|instruction| copies.connect_operands(instruction));
        copies.connect_targets();
        copies
    }

    /// Makes a copied instruction use the copies of its operands.
    fn connect_operands(&self, instruction: Value) {
        for index in 0..instruction.operand_count() {
            let operand = instruction.operand_or_none(index);
            if let Some(&new) = operand.and_then(|operand| self.values.get(&operand)) {
                instruction.set_operand(index, new);
            }
        }
    }

    /// Makes copied blocks lead to copied blocks.
    fn connect_targets(&self) {
        let ends = self.blocks.values().filter_map(|block| block.terminator());
        for end in ends {
            for (index, target) in end.successors().into_iter().enumerate() {
                if let Some(&new) = self.blocks.get(&target) {
                    end.set_successor(index as u32, new);
                }
            }
        }
    }
}
