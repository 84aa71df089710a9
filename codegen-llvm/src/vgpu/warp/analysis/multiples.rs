//! Values that are multiples of a subgroup's width, whatever else they are.

use llvm_sys::LLVMOpcode;

use super::context_fields::{self, LaneAxis};
use super::width::Width;
use crate::ir::Value;

/// How many operations a value is followed through.
const DEPTH: u32 = 4;

/// What is known of the kernel's subgroups.
#[derive(Clone, Copy)]
pub struct Multiples {
    lanes: u32,
    /// The field of the context with a block's size, where blocks consist of whole subgroups.
    threads: Option<usize>,
}

impl Multiples {
    /// For subgroups of this width along `axis`.
    pub fn new(width: &Width, axis: LaneAxis) -> Multiples {
        Multiples {
            lanes: width.lanes,
            threads: width.whole_blocks.then(|| axis.threads()),
        }
    }

    /// Whether a value is a multiple of the width. Integers that wrap stay multiples, as the width is a power of two.
    pub fn contains(&self, value: Value) -> bool {
        self.follow(value, DEPTH)
    }

    fn follow(&self, value: Value, depth: u32) -> bool {
        use LLVMOpcode::*;
        if let Some(constant) = value.as_signed_int() {
            return constant % i64::from(self.lanes) == 0;
        }
        let Some(opcode) = value.opcode().filter(|_| depth > 0) else {
            return false;
        };
        let operand = |index| self.follow(value.operand(index), depth - 1);
        match opcode {
            LLVMLoad => {
                self.threads.is_some() && context_fields::context_field(value) == self.threads
            }
            LLVMAdd | LLVMSub | LLVMOr => operand(0) && operand(1),
            LLVMMul | LLVMAnd => operand(0) || operand(1),
            LLVMShl => {
                let by = value.operand(1).as_signed_int();
                operand(0) || by.is_some_and(|by| by >= i64::from(self.lanes.trailing_zeros()))
            }
            LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFreeze => operand(0),
            _ => false,
        }
    }
}
