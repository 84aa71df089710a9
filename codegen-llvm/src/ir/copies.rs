//! Copies of blocks.

use std::collections::HashMap;

use super::{Block, Builder, Context, Value};

/// Copies of blocks, and of the values in them.
#[derive(Default)]
pub struct Copies {
    /// By the original: the copy.
    pub blocks: HashMap<Block, Block>,
    /// By the original: what copies use in its place.
    pub values: HashMap<Value, Value>,
}

impl Copies {
    /// Copies blocks. Copies of phis have no flags. `values` says what the copies use in place of values computed
    /// before the blocks. Values that leave the blocks are the caller's business ([`Copies::add_exits`]). In the debug
    /// information the copies are inlined calls of their own: a debugger stops at a line once per inlined call (gdb:
    /// at its lowest address).
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
                let new = match instruction.is_phi() {
                    true => builder.phi(instruction.ty()),
                    false => builder.copy_of(instruction),
                };
                new.set_location_apart(context);
                copies.values.insert(instruction, new);
                made.push((instruction, new));
            }
        }
        made.into_iter()
            .for_each(|(instruction, new)| copies.connect_operands(instruction, new));
        copies.connect_targets(blocks);
        copies
    }

    /// What copies use in place of a value.
    fn value(&self, original: Value) -> Value {
        self.values.get(&original).copied().unwrap_or(original)
    }

    /// Makes a copied instruction use the copies of its operands.
    fn connect_operands(&self, original: Value, new: Value) {
        if original.is_phi() {
            for (value, from) in original.incoming() {
                let from = self.blocks.get(&from).copied().unwrap_or(from);
                new.add_incoming(self.value(value), from);
            }
            return;
        }
        for index in 0..new.operand_count() {
            let operand = new.operand_or_none(index);
            if let Some(&copy) = operand.and_then(|operand| self.values.get(&operand)) {
                new.set_operand(index, copy);
            }
        }
    }

    /// In the phis of a block that the originals lead to, adds what comes from the copies.
    pub fn add_exits(&self, exit: Block) {
        for phi in exit.phis() {
            for (value, from) in phi.incoming() {
                if let Some(&copy) = self.blocks.get(&from) {
                    phi.add_incoming(self.value(value), copy);
                }
            }
        }
    }

    /// Makes copied blocks lead to copied blocks.
    fn connect_targets(&self, originals: &[Block]) {
        let copies = originals.iter().map(|block| self.blocks[block]);
        let ends = copies.filter_map(Block::terminator);
        for end in ends {
            for (index, target) in end.successors().into_iter().enumerate() {
                if let Some(&new) = self.blocks.get(&target) {
                    end.set_successor(index as u32, new);
                }
            }
        }
    }
}
