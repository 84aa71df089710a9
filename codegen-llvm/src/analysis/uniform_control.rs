//! Whether all threads of a GPU's block come to a place equally often.
//!
//! They do if all branches that decide on it do so by what is the same for all threads: the kernel's parameters, the
//! index of the block, the extents of block and grid, and what is computed of these. Branches that lead to a trap or to
//! a thread's end decide on nothing, because such a thread does no more.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;

use super::control_flow::ControlFlow;
use crate::ir::{Block, Value};

/// Prefixes of functions that give all threads of a block the same, if their arguments are the same.
const SAME_FOR_ALL: [&str; 7] = [
    "llvm.nvvm.read.ptx.sreg.ctaid.",
    "llvm.nvvm.read.ptx.sreg.nctaid.",
    "llvm.nvvm.read.ptx.sreg.ntid.",
    "llvm.umin.",
    "llvm.umax.",
    "llvm.smin.",
    "llvm.smax.",
];

/// The blocks of a kernel's function, and what was found to be uniform if all that is pending is.
pub struct UniformControl<'a> {
    flow: &'a ControlFlow,
    blocks: HashSet<Block>,
    values: HashSet<Value>,
}

impl UniformControl<'_> {
    /// An analysis of a kernel's function.
    pub fn new(flow: &ControlFlow) -> UniformControl<'_> {
        UniformControl {
            flow,
            blocks: HashSet::new(),
            values: HashSet::new(),
        }
    }

    /// Whether all threads come to a basic block equally often. After a `false` another question needs a new analysis.
    pub fn reaches(&mut self, block: Block) -> bool {
        if !self.blocks.insert(block) {
            return true;
        }
        self.deciding(block).into_iter().all(|branch| {
            branch.condition().is_some_and(|it| self.is_same(it)) && self.reaches(branch.block())
        })
    }

    /// The branches of which one way always leads to a block, and another may lead to the kernel's end without it.
    fn deciding(&self, block: Block) -> Vec<Value> {
        let blocks = self.flow.blocks().iter();
        let ends = blocks.clone().copied().filter(|it| {
            let end = it.terminator().and_then(Value::opcode);
            *it != block && end == Some(LLVMOpcode::LLVMRet)
        });
        let avoiding = self.leading_to(ends.collect(), Some(block));
        let leading = self.leading_to(vec![block], None);
        let decides = |branch: &Value| {
            let ways = branch.successors();
            let leads = |way: &Block| leading.contains(way) && !avoiding.contains(way);
            ways.iter().any(leads) && ways.iter().any(|way| avoiding.contains(way))
        };
        blocks
            .filter_map(|it| it.terminator())
            .filter(decides)
            .collect()
    }

    /// The basic blocks that may lead to some, not through `barred`.
    fn leading_to(&self, mut pending: Vec<Block>, barred: Option<Block>) -> HashSet<Block> {
        let mut found: HashSet<_> = pending.iter().copied().collect();
        while let Some(block) = pending.pop() {
            let before = self.flow.predecessors(block);
            pending.extend(before.filter(|it| Some(*it) != barred && found.insert(*it)));
        }
        found
    }

    /// Whether a value is the same for all threads.
    fn is_same(&mut self, value: Value) -> bool {
        use LLVMOpcode::*;
        if !value.is_instruction() || !self.values.insert(value) {
            return true;
        }
        let is_computed = match value.opcode() {
            Some(LLVMPHI) => self.counts(value),
            Some(LLVMCall) => value.called_function().is_some_and(|function| {
                let name = function.name();
                SAME_FOR_ALL.iter().any(|prefix| name.starts_with(prefix))
            }),
            Some(LLVMSelect | LLVMICmp | LLVMFCmp | LLVMFreeze) => true,
            Some(LLVMTrunc | LLVMZExt | LLVMSExt) => true,
            Some(LLVMAdd | LLVMSub | LLVMMul | LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem) => true,
            Some(LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor) => true,
            _ => false,
        };
        is_computed && value.operands().into_iter().all(|it| self.is_same(it))
    }

    /// Whether a phi is a loop's counter, and all threads come to the loop equally often: which of its numbers it takes
    /// is decided by nothing else.
    fn counts(&mut self, phi: Value) -> bool {
        let header = phi.block();
        let goes_back = |from: Block| self.flow.dominators(from).any(|it| it == header);
        let before = phi.incoming();
        let back = before.iter().filter(|(_, from)| goes_back(*from)).count();
        before.len() == 2 && back == 1 && self.reaches(header)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, Module};

    /// Whether all threads come to the block `place` of a kernel.
    fn reached(body: &str) -> bool {
        let text = format!(
            "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define void @k(ptr %p, i32 %n) {{
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %loaded = load i32, ptr %p
{body}
}}"
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        let flow = ControlFlow::new(module.definitions()[0]);
        let mut blocks = flow.blocks().iter();
        let place = *blocks.find(|it| it.name() == "place").unwrap();
        UniformControl::new(&flow).reaches(place)
    }

    #[test]
    fn branches_by_what_threads_share_are_uniform() {
        let under = |condition: &str| {
            reached(&format!(
                "  %if = icmp ult {condition}
  br i1 %if, label %place, label %end
place:
  br label %end
end:
  ret void"
            ))
        };
        assert!(under("i32 %block, %n"));
        assert!(!under("i32 %tid, %n"));
        assert!(!under("i32 %loaded, %n"));
    }

    #[test]
    fn what_joins_again_or_traps_decides_nothing() {
        let split = "  %if = icmp ult i32 %tid, %n\n  br i1 %if, label %one, label %other\none:\n";
        let joins = "  br label %place\nother:\n  br label %place\nplace:\n  ret void";
        assert!(reached(&format!("{split}{joins}")));
        let traps = "  br label %place\nother:\n  unreachable\nplace:\n  ret void";
        assert!(reached(&format!("{split}{traps}")));
        // Also where the branch to a trap comes before one that decides.
        assert!(reached(
            "  %if = icmp ult i32 %tid, %n
  br i1 %if, label %trap, label %other
trap:
  unreachable
other:
  %all = icmp ult i32 %block, %n
  br i1 %all, label %place, label %end
place:
  br label %end
end:
  ret void"
        ));
    }

    #[test]
    fn loops_count_alike_if_their_bounds_are_the_same() {
        let around = |begin: &str, bound: &str| {
            reached(&format!(
                "  br label %loop
loop:
  %i = phi i32 [ {begin}, %entry ], [ %next, %place ]
  %in = icmp ult i32 %i, {bound}
  br i1 %in, label %place, label %end
place:
  %next = add i32 %i, 1
  br label %loop
end:
  ret void"
            ))
        };
        assert!(around("%block", "%n"));
        assert!(!around("%tid", "%n"));
        assert!(!around("%block", "%loaded"));
    }

    #[test]
    fn what_a_branch_has_chosen_is_not_the_same() {
        assert!(!reached(
            "  %if = icmp ult i32 %tid, %n
  br i1 %if, label %one, label %join
one:
  br label %join
join:
  %chosen = phi i32 [ 0, %entry ], [ 1, %one ]
  %more = icmp eq i32 %chosen, 0
  br i1 %more, label %place, label %end
place:
  br label %end
end:
  ret void"
        ));
    }
}
