//! Loops whose 32-bit indices may wrap: what has to hold that they do not, and the loop for which it does.
//!
//! ```text
//! for (unsigned i = first; i < n; i += step) a[i] = b[i + 1];
//!
//! if ((first | n | step) < 2^28) for (i = first; …; i += step) a[(long)i] = b[(long)i + 1]; else …
//! ```
//!
//! C's `unsigned` wraps, and of flang's `integer` LLVM no longer knows that it does not. So the indices of a subgroup's
//! lanes might not be consecutive numbers, and each access would have to ask. Small bounds answer once for all of them.

use std::collections::HashMap;

use indexmap::IndexSet;
use llvm_sys::LLVMIntPredicate::LLVMIntULT;
use llvm_sys::LLVMOpcode::{LLVMOr, LLVMSExt};

use super::loop_end::{LoopEnd, step};
use super::word_sums::{WordSum, is_extension};
use crate::analysis::control_flow::Loop;
use crate::ir::{Block, Builder, Context, Type, Value};
use crate::vgpu::warp::analysis::divergence::Divergence;
use crate::vgpu::warp::analysis::shape::Shape;

/// Fewest bits that bounds may have: thread ids and constants have less.
const FEWEST_BITS: u32 = 22;

/// Most bounds that are asked for.
const MOST_BOUNDS: usize = 8;

/// A counter of 32 bits, perhaps kept in 64, and what becomes of it where its bounds are small.
pub struct BoundedCounter {
    /// The phi in the loop's header.
    counter: Value,
    /// The block in front of the loop.
    before: Block,
    /// The block that leads back to the header.
    latch: Block,
    /// The first number: a thread's own, and uniform ones.
    first: WordSum,
    /// What is added in each iteration.
    step: Value,
    end: LoopEnd,
    /// Extensions of sums of the counter and of uniform numbers.
    indices: Vec<(Value, WordSum)>,
    /// The uniform numbers that have to be small.
    bounds: IndexSet<Value>,
    /// How small: less than two to the power of this.
    bits: u32,
}

/// Whether a loop may have such a counter; only an analysis of divergence can tell.
pub fn may_have(each: &Loop) -> bool {
    let counts = |phi: Value| {
        let next = phi.incoming_from(each.latch);
        next.is_some_and(|next| step(phi, next).is_some())
    };
    each.header.phis().any(counts) && each.instructions().any(is_extension)
}

impl BoundedCounter {
    /// The counter of a loop because of which indices vary that would be consecutive numbers.
    pub fn find(each: &Loop, divergence: &Divergence) -> Option<BoundedCounter> {
        each.header
            .phis()
            .find_map(|phi| BoundedCounter::of(each, divergence, phi))
    }

    fn of(each: &Loop, divergence: &Divergence, counter: Value) -> Option<BoundedCounter> {
        let is_uniform = |it: Value| {
            let inside = it.is_instruction() && each.body.contains(&it.block());
            !inside && divergence.shape(it).is_uniform()
        };
        let step = step(counter, counter.incoming_from(each.latch)?)?;
        let (first, before) = counter
            .incoming()
            .into_iter()
            .find(|(_, from)| *from != each.latch)?;
        let end = LoopEnd::of(each, counter, (first, before))?;
        let has_word = first.ty().int_width() == 32 || is_extension(first);
        if !has_word || !is_uniform(step) || !is_uniform(end.bound) {
            return None;
        }
        let is_of_thread = |it: Value| divergence.shape(it).is_small();
        let first = WordSum::of(first, &|it| is_uniform(it) || is_of_thread(it))?;
        if first.constant < 0 || !first.terms.keys().any(|it| is_of_thread(*it)) {
            return None;
        }
        let parts = first.terms.keys().copied().filter(|it| is_uniform(*it));
        let bounds = [step, end.bound].into_iter().chain(parts).collect();
        let mut found = BoundedCounter {
            counter,
            before,
            latch: each.latch,
            first,
            step,
            end,
            indices: Vec::new(),
            bounds,
            bits: 0,
        };
        for extension in each.instructions().filter(|it| is_extension(*it)) {
            if divergence.shape(extension) == Shape::Varying {
                found.add_index(extension, &is_uniform);
            }
        }
        found.bits = found.bits();
        (!found.indices.is_empty() && found.bits >= FEWEST_BITS).then_some(found)
    }

    /// Adds an extension, if it is one of a sum with the counter.
    fn add_index(&mut self, extension: Value, is_uniform: &impl Fn(Value) -> bool) {
        let is_term = |it| it == self.counter || is_uniform(it);
        let Some(sum) = WordSum::of(extension.operand(0), &is_term) else {
            return;
        };
        // Zeros in front of a negative number make it a large one.
        let has_sign = extension.opcode() == Some(LLVMSExt);
        if !sum.terms.contains_key(&self.counter) || sum.constant < 0 && !has_sign {
            return;
        }
        let terms = sum.terms.keys().copied();
        let mut bounds = self.bounds.clone();
        bounds.extend(terms.filter(|it| *it != self.counter));
        if bounds.len() <= MOST_BOUNDS {
            self.bounds = bounds;
            self.indices.push((extension, sum));
        }
    }

    /// How many bits the bounds may have, so that all sums have 31.
    fn bits(&self) -> u32 {
        let parts = |sum: &WordSum| {
            let terms = sum.terms.values().sum::<i64>().unsigned_abs();
            terms + u64::from(sum.constant != 0)
        };
        // Later numbers are not beyond the bound: the first one has most.
        let counter = parts(&self.first);
        let sums = self.indices.iter().map(|(_, sum)| parts(sum) * counter);
        let most = sums.max().unwrap_or(counter);
        31u32.saturating_sub(most.next_power_of_two().ilog2())
    }

    /// Writes in front of the loop whether all bounds are small.
    pub fn holds(&self, builder: &Builder) -> Value {
        let word = Type::int(builder.context(), 64);
        let words = self
            .bounds
            .iter()
            .map(|it| builder.cast_unsigned(*it, word));
        let all = words.reduce(|left, right| builder.binary(LLVMOr, left, right));
        let all = builder.freeze(all.expect("there is a step"));
        builder.compare(LLVMIntULT, all, Value::int(word, 1 << self.bits))
    }

    /// Counts and adds in 64 bits, in the loop itself. Needs: it runs only where that holds.
    pub fn widen(&self, context: Context) {
        let jump = self.before.terminator().expect("a block has an end");
        let outside = Builder::before(context, jump);
        let word = Type::int(context, 64);
        let wide = |it: Value| outside.cast_unsigned(it, word);
        let first = self.first.emit(&outside, wide);
        let mut words: HashMap<Value, Value> =
            self.bounds.iter().map(|&it| (it, wide(it))).collect();

        let header = self.counter.block();
        let number = Builder::before(context, header.instructions()[0]).phi(word);
        let at_end = Builder::before(context, self.end.branch);
        let next = at_end.add_without_overflow(number, words[&self.step]);
        next.set_cannot_carry();
        number.add_incoming(first, self.before);
        number.add_incoming(next, self.latch);
        let ends = at_end.compare(self.end.predicate, next, words[&self.end.bound]);
        self.end.branch.set_operand(0, ends);

        words.insert(self.counter, number);
        for (extension, sum) in &self.indices {
            let builder = Builder::before(context, *extension);
            let index = sum.emit(&builder, |it| words[&it]);
            // SAFETY: the sum is the same number, at the same place.
            unsafe { extension.replace_with(index) };
        }
        self.replace_counter(context, number);
    }

    /// Has the counter be what the new one's lower bits are.
    fn replace_counter(&self, context: Context, number: Value) {
        let block = self.counter.block();
        let all = block.instructions();
        let begin = all.into_iter().find(|it| !it.is_phi());
        let begin = begin.expect("a block has an end");
        let same = Builder::before(context, begin).cast_unsigned(number, self.counter.ty());
        // SAFETY: the new number has the same value, and is there at the header's beginning.
        unsafe { self.counter.replace_with(same) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::control_flow::ControlFlow;
    use crate::ir::Module;
    use crate::vgpu::warp::analysis::context_fields::LaneAxis;
    use crate::vgpu::warp::analysis::linearise::BlockOrder;
    use crate::vgpu::warp::analysis::width;

    /// What a loop of a kernel consists of.
    struct Counted {
        first: &'static str,
        index: &'static str,
        ends: &'static str,
        goes_on: &'static str,
    }

    /// A loop that goes on up to a bound, and adds one to its counter for an index.
    const PLAIN: Counted = Counted {
        first: "add i32 %from, %tid",
        index: "zext i32 %sum to i64",
        ends: "icmp ult i32 %next, %n",
        goes_on: "label %loop, label %done",
    };

    /// The kernel before, and after its loop counts in 64 bits; the same text if it cannot.
    fn widened(it: &Counted) -> (String, String) {
        let Counted {
            first,
            index,
            ends,
            goes_on,
        } = it;
        let text = format!(
            "declare ptr @vgpu.warp.context()
define void @f(ptr %a, i32 %from, i32 %step, i32 %n) {{
entry:
  %cx = call ptr @vgpu.warp.context()
  %tid = load i32, ptr %cx
  %first = {first}
  %inside = icmp ule i32 %first, %n
  br i1 %inside, label %before, label %end
before:
  br label %loop
loop:
  %counter = phi i32 [ %first, %before ], [ %next, %loop ]
  %sum = add i32 %counter, 1
  %left = sub i32 %n, %counter
  %index = {index}
  %element = getelementptr float, ptr %a, i64 %index
  store float 1.0, ptr %element
  %next = add i32 %counter, %step
  %ends = {ends}
  br i1 %ends, {goes_on}
done:
  br label %end
end:
  ret void
}}"
        );
        let unchanged = Module::after(&text, |_| {});
        let after = Module::after(&text, |module| {
            let function = module.function("f").unwrap();
            let order = BlockOrder::new(function).unwrap();
            let width = width::of(function, LaneAxis::X, 32, None);
            let divergence = Divergence::new(&order, module.layout(), &width, LaneAxis::X);
            let each = ControlFlow::new(function).loops().remove(0);
            assert!(may_have(&each));
            if let Some(counter) = BoundedCounter::find(&each, &divergence) {
                assert_eq!(counter.before.name(), "before");
                let before = counter.before.terminator().unwrap();
                counter.holds(&Builder::before(module.context, before));
                counter.widen(module.context);
            }
        });
        (unchanged, after)
    }

    #[test]
    fn a_loop_with_small_bounds_counts_in_64_bits() {
        let (_, after) = widened(&PLAIN);
        assert!(after.contains("phi i64"), "{after}");
        assert!(after.contains(", 536870912"), "{after}");
        assert!(!after.contains("%index = zext"), "{after}");
    }

    #[test]
    fn a_loop_may_ask_for_what_is_left() {
        for (ends, goes_on, more) in [
            (
                "icmp uge i32 %left, %step",
                "label %loop, label %done",
                "icmp ule i64",
            ),
            (
                "icmp ult i32 %left, %step",
                "label %done, label %loop",
                "icmp ugt i64",
            ),
            (
                "icmp slt i32 %n, %next",
                "label %done, label %loop",
                "icmp ugt i64",
            ),
        ] {
            let (_, after) = widened(&Counted {
                ends,
                goes_on,
                ..PLAIN
            });
            assert!(after.contains(&format!("%ends = {ends}")), "{after}");
            assert!(after.contains("phi i64") && after.contains(more), "{after}");
        }
    }

    #[test]
    fn other_loops_stay() {
        let stays = |it: &Counted, why: &str| {
            let (before, after) = widened(it);
            assert_eq!(before, after, "{why}");
        };
        let ends = "icmp ne i32 %next, %n";
        stays(&Counted { ends, ..PLAIN }, "may pass the bound");
        let ends = "icmp ult i32 %next, %sum";
        stays(&Counted { ends, ..PLAIN }, "the bound changes");
        let ends = "icmp ult i32 %left, %step";
        stays(&Counted { ends, ..PLAIN }, "goes on behind the bound");
        stays(
            &Counted {
                first: "add i32 %from, 5",
                ..PLAIN
            },
            "all lanes have the same",
        );
        stays(
            &Counted {
                first: "mul i32 %from, %tid",
                ..PLAIN
            },
            "no consecutive numbers",
        );
        let index = "zext i32 %left to i64";
        stays(&Counted { index, ..PLAIN }, "counts down");
    }
}
