//! Writes loops twice: without the questions whose answer is nearly always the same, and with them.
//!
//! Needs: optimised scalar forms; what a loop does not change is computed before it. Leaves: before such a loop one
//! question for all, and two versions of the loop.
//!
//! ```text
//! for … { if (a is outside) check(a); if (b is outside) check(b); … }
//! if (a is inside && b is inside) for … { … } else for … { if (a is outside) check(a); … }
//! ```
//!
//! Window checks are what it is for: whether a base lies in the device window does not change in a loop. With calls in
//! it no loop becomes vectors. LLVM's loop unswitching has a version for each answer to each question, so it stops
//! after three bases. Here there are two versions, whatever the number of questions. Warp forms have few such loops,
//! and large ones.

use std::collections::HashSet;

use anyhow::Result;
use indexmap::{IndexMap, IndexSet};
use llvm_sys::LLVMOpcode;

use super::loop_copy;
use super::optimise::scalar_forms;
use super::unit::Unit;
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::analysis::likely_blocks;
use crate::ir::{Block, Builder, Context, Type, Value};

/// Most instructions that the version without questions may have, which is what the code grows by. LLVM makes vectors
/// of the whole of a loop that fits; one that does not spends little of its time on the questions.
const MOST_INSTRUCTIONS: usize = 300;

/// One preheader and one latch for each loop, exits of its own, and phis there for what leaves it.
const CANONICAL: &str = "loop-simplify,lcssa";

/// Takes the blocks away that the first versions do not reach.
const CLEAN: &str = "simplifycfg";

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if unit.options.level < 2 {
        return Ok(());
    }
    let (module, machine) = (&unit.module, &unit.machine);
    for function in scalar_forms(unit) {
        let context = module.context;
        if nests(context, function).is_empty() {
            continue;
        }
        machine.run_function_passes(module, function, CANONICAL)?;
        let nests = nests(context, function);
        nests.iter().for_each(|nest| nest.write_twice(context));
        machine.run_function_passes(module, function, CLEAN)?;
    }
    Ok(())
}

/// Conditions that are computed before a loop, and the values they are likely to have.
type Questions = IndexMap<Value, bool>;

/// A loop that is worth two versions, with the loops in it.
struct Nest {
    around: Loop,
    questions: Questions,
}

/// The outermost loops that are worth two versions. Each answers all questions of the loops in it.
fn nests(context: Context, function: Value) -> Vec<Nest> {
    let flow = ControlFlow::new(function);
    let likely = likely_blocks::of(context, function);
    let mut loops: Vec<_> = flow
        .loops()
        .into_iter()
        .map(|around| Nest {
            questions: questions_of(context, &around.body),
            around,
        })
        .collect();
    loops.sort_by_key(|nest| std::cmp::Reverse(nest.around.body.len()));
    let is_worth_it = |nest: &Nest| {
        let Loop {
            header,
            latch,
            body,
        } = &nest.around;
        let inner = loops.iter().filter(|it| body.contains(&it.around.header));
        let mut asked = inner.flat_map(|inner| inner.questions.keys());
        !nest.questions.is_empty()
            && likely.contains(header)
            && flow.dominators(*latch).any(|block| block == *header)
            && body.iter().all(|&block| can_be_copied(block))
            && asked.all(|condition| nest.questions.contains_key(condition))
            && nest.size_without_questions() <= MOST_INSTRUCTIONS
    };
    let wanted: Vec<bool> = loops.iter().map(is_worth_it).collect();
    let mut found: Vec<Nest> = Vec::new();
    for (nest, is_wanted) in loops.into_iter().zip(wanted) {
        let header = nest.around.header;
        if is_wanted && !found.iter().any(|it| it.around.body.contains(&header)) {
            found.push(nest);
        }
    }
    found
}

/// What the branches of a loop ask.
fn questions_of(context: Context, body: &IndexSet<Block>) -> Questions {
    let mut found = Questions::new();
    for &block in body {
        let Some((branch, condition)) = branch_of(block) else {
            continue;
        };
        let is_invariant = match condition.is_instruction() {
            true => !body.contains(&condition.block()),
            false => !condition.is_constant(),
        };
        if is_invariant && let Some(edge) = likely_blocks::unlikely_edge(context, branch) {
            // The first edge is that of a condition that holds.
            found.entry(condition).or_insert(edge == 1);
        }
    }
    found
}

/// The conditional branch at the end of a block, and its condition.
fn branch_of(block: Block) -> Option<(Value, Value)> {
    let end = block.terminator()?;
    let condition = end.condition()?;
    (end.opcode() == Some(LLVMOpcode::LLVMBr)).then_some((end, condition))
}

/// Whether a block may be written twice.
///
/// Calls that threads make together (`convergent`) could be in both versions: a scalar form is one thread's code, and
/// the engine tells such calls apart by their arguments, not by their addresses. But threads that wait for each other
/// spend little of their time on the questions.
fn can_be_copied(block: Block) -> bool {
    let is_plain = |instruction: Value| match instruction.opcode() {
        Some(LLVMOpcode::LLVMCall) => {
            let called = instruction.called_function();
            !called.is_some_and(|called| called.has_function_attribute("convergent"))
        }
        Some(LLVMOpcode::LLVMIndirectBr | LLVMOpcode::LLVMCallBr | LLVMOpcode::LLVMInvoke) => false,
        _ => true,
    };
    block.instructions().into_iter().all(is_plain)
}

impl Nest {
    /// How many instructions the version without questions has.
    fn size_without_questions(&self) -> usize {
        let Loop { header, body, .. } = &self.around;
        let (mut found, mut open) = (HashSet::from([*header]), vec![*header]);
        let mut size = 0;
        while let Some(block) = open.pop() {
            size += block.instructions().len();
            let targets = block.successors();
            let answer = branch_of(block).and_then(|(_, condition)| self.questions.get(&condition));
            let taken = match answer {
                Some(&answer) => vec![targets[usize::from(!answer)]],
                None => targets,
            };
            let inside = taken.into_iter().filter(|target| body.contains(target));
            open.extend(inside.filter(|&target| found.insert(target)));
        }
        size
    }

    /// Writes the version with questions behind all blocks, and takes them out of the loop itself. Needs: the canonical
    /// form.
    fn write_twice(&self, context: Context) {
        let Some((jump, copy)) = loop_copy::add(context, &self.around) else {
            return;
        };
        let builder = Builder::before(context, jump);
        let unlikely = self.unlikely(&builder);
        builder.branch_likely(unlikely, copy, self.around.header);
        // SAFETY: a terminator has no users, and the new branch stands in its place.
        unsafe { jump.erase() };
        let bit = Type::int(context, 1);
        for instruction in self.around.instructions() {
            for (&condition, &answer) in &self.questions {
                instruction.replace_operand(condition, Value::int(bit, u64::from(answer)));
            }
        }
    }

    /// Whether a question has the unlikely answer. The loop may not come to each of them, so one may be poison, which
    /// no branch may ask for: any answer will do then.
    fn unlikely(&self, builder: &Builder) -> Value {
        let bit = Type::int(builder.context(), 1);
        let answers = self.questions.iter().map(|(&condition, &answer)| {
            let frozen = builder.freeze(condition);
            match answer {
                true => builder.binary(LLVMOpcode::LLVMXor, frozen, Value::all_ones(bit)),
                false => frozen,
            }
        });
        let all: Vec<_> = answers.collect();
        let or = |left, right| builder.binary(LLVMOpcode::LLVMOr, left, right);
        all.into_iter().reduce(or).expect("a nest has questions")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;

    /// The conditions that the first versions do not ask for, by loop.
    fn asked(text: &str) -> Vec<Vec<(String, bool)>> {
        let text = format!(
            "{text}
!0 = !{{!\"branch_weights\", i32 1048575, i32 1}}
!1 = !{{!\"branch_weights\", i32 1, i32 1048575}}
declare void @cold()
declare void @wait() convergent"
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        let function = module.function("f").unwrap();
        let names = |nest: Nest| {
            let questions = nest.questions.into_iter();
            let named = questions.map(|(condition, answer)| (condition.name(), answer));
            named.collect()
        };
        nests(module.context, function)
            .into_iter()
            .map(names)
            .collect()
    }

    /// A loop with a branch on `condition` that has the metadata `weights`, and `more` in the likely block.
    fn loop_with(condition: &str, weights: &str, more: &str) -> String {
        format!(
            "define void @f(i1 %a, i1 %n, ptr %p) {{
e:
  br label %h
h:
  %inner = load volatile i1, ptr %p
  br i1 %{condition}, label %l, label %c{weights}
c:
  call void @cold()
  br label %l
l:
{more}
  br i1 %n, label %h, label %x
x:
  ret void
}}"
        )
    }

    #[test]
    fn an_unlikely_branch_on_what_does_not_change_is_a_question() {
        let yes = asked(&loop_with("a", ", !prof !0", ""));
        assert_eq!(yes, [[("a".to_owned(), true)]]);
        let no = asked(&loop_with("a", ", !prof !1", ""));
        assert_eq!(no, [[("a".to_owned(), false)]]);
    }

    #[test]
    fn other_branches_are_none() {
        assert!(asked(&loop_with("a", "", "")).is_empty());
        assert!(asked(&loop_with("inner", ", !prof !0", "")).is_empty());
    }

    #[test]
    fn large_loops_and_those_that_wait_stay() {
        let calls = |count: usize| "  call void @cold()\n".repeat(count);
        let of = |more: &str| asked(&loop_with("a", ", !prof !0", more)).len();
        assert_eq!(of(&calls(MOST_INSTRUCTIONS - 3)), 1);
        assert_eq!(of(&calls(MOST_INSTRUCTIONS - 2)), 0);
        assert_eq!(of("  call void @wait()"), 0);
    }

    #[test]
    fn loops_in_unlikely_blocks_stay() {
        let text = loop_with("a", ", !prof !0", "");
        let text = text.replace(
            "  br label %h\nh:",
            "  br i1 %n, label %h, label %x, !prof !1\nh:",
        );
        assert!(asked(&text).is_empty());
    }
}
