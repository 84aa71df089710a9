//! Loops are written twice: for what nearly always holds, and for the rest. One question in front of a loop decides.
//!
//! Needs: kernels in shape, with window checks. Leaves: kernels that need to be brought into shape again.
//!
//! What is asked: whether elements of Fortran arrays follow each other ([`super::unit_strides`]), and whether 32-bit
//! indices are so small that they do not wrap ([`super::bounded_counters`]). In the loop for which it holds, lanes
//! access consecutive elements as vectors.

use std::collections::HashSet;

use anyhow::Result;
use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMXor};

use super::bounded_counters::{self, BoundedCounter};
use super::loop_versioning::is_cheap;
use super::row_folds::divergence;
use super::unit_strides::UnitStrides;
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::{Block, Builder, Module, Value};
use crate::vgpu::loop_copy;
use crate::vgpu::unit::{Kernel, Unit};
use crate::vgpu::warp::analysis::divergence::Divergence;

/// The step, for these kernels. Gives whether it changed any.
pub fn run(unit: &Unit, module: &Module, kernels: &[(&Kernel, Value)]) -> Result<bool> {
    if unit.options.level < 2 {
        return Ok(false);
    }
    let mut changed = false;
    for &(kernel, function) in kernels {
        let candidates = candidates(module, function);
        if candidates.is_empty() {
            continue;
        }
        let Some(divergence) = divergence(unit, module, kernel, function) else {
            continue;
        };
        let mut written = HashSet::new();
        for Candidate { each, strides } in candidates {
            if written.contains(&each.header) {
                continue;
            }
            let facts = Facts::find(&each, strides, &divergence);
            if facts.is_some_and(|facts| facts.write_twice(module, &each)) {
                written.extend(each.body);
                changed = true;
            }
        }
    }
    Ok(changed)
}

/// A loop that may be worth it.
struct Candidate {
    each: Loop,
    strides: Option<Strides>,
}

/// Strides in a loop, and whether they alone are worth it: in an innermost loop.
struct Strides {
    unit: UnitStrides,
    suffice: bool,
}

/// The candidates of a function, loops around others before these.
fn candidates(module: &Module, function: Value) -> Vec<Candidate> {
    let loops = ControlFlow::new(function).loops();
    let headers: Vec<_> = loops.iter().map(|each| each.header).collect();
    let candidate = |each: Loop| {
        let blocks: HashSet<Block> = each.body.iter().copied().collect();
        let inside = headers.iter().filter(|it| blocks.contains(it)).count();
        let strides = UnitStrides::find(module.layout(), &each);
        let strides = strides.map(|unit| Strides {
            unit,
            suffice: inside == 1,
        });
        let suffice = strides.as_ref().is_some_and(|it| it.suffice);
        let is_worth_it = suffice || bounded_counters::may_have(&each);
        (is_cheap(&blocks) && is_worth_it).then_some(Candidate { each, strides })
    };
    let mut found: Vec<_> = loops.into_iter().filter_map(candidate).collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.each.body.len()));
    found
}

/// What nearly always holds.
struct Facts {
    strides: Option<UnitStrides>,
    counter: Option<BoundedCounter>,
}

impl Facts {
    /// The facts of a loop for which it is worth it.
    fn find(each: &Loop, strides: Option<Strides>, divergence: &Divergence) -> Option<Facts> {
        let strides = strides.filter(|it| it.unit.are_uniform(divergence));
        let suffice = strides.as_ref().is_some_and(|it| it.suffice);
        let facts = Facts {
            strides: strides.map(|it| it.unit),
            counter: BoundedCounter::find(each, divergence),
        };
        (suffice || facts.counter.is_some()).then_some(facts)
    }

    /// Writes the loop for which they do not hold behind all blocks, and changes the loop itself. Gives whether it did:
    /// the loop has a block of its own in front.
    fn write_twice(&self, module: &Module, each: &Loop) -> bool {
        let context = module.context;
        let Some((jump, copy)) = loop_copy::add(context, each) else {
            return false;
        };
        let builder = Builder::before(context, jump);
        let strides = self.strides.as_ref().map(|it| it.hold(&builder));
        let counter = self.counter.as_ref().map(|it| it.holds(&builder));
        let all = { strides.into_iter().chain(counter) }
            .reduce(|left, right| builder.binary(LLVMAnd, left, right));
        let all = all.expect("there is a fact");
        let other = builder.binary(LLVMXor, all, Value::int(all.ty(), 1));
        // What is unlikely is written once, not for all lanes and for some.
        builder.branch_likely(other, copy, each.header);
        // SAFETY: a terminator has no users, and the new branch stands in its place.
        unsafe { jump.erase() };
        if let Some(strides) = &self.strides {
            strides.fix(each);
        }
        if let Some(counter) = &self.counter {
            counter.widen(context);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_gets_the_constant() {
        let text = "define void @f(ptr %d, ptr %a, i64 %n) {
             e:
               %at = getelementptr i8, ptr %d, i64 40
               %stride = load i64, ptr %at
               br label %l
             l:
               %i = phi i64 [ 0, %e ], [ %j, %l ]
               %product = mul nsw i64 %stride, %i
               %element = getelementptr i8, ptr %a, i64 %product
               store float 1.0, ptr %element
               %j = add i64 %i, 1
               %c = icmp eq i64 %j, %n
               br i1 %c, label %x, label %l
             x:
               ret void
             }";
        let after = Module::after(text, |module| {
            let function = module.function("f").unwrap();
            let Candidate { each, strides } = candidates(module, function).remove(0);
            let facts = Facts {
                strides: strides.map(|it| it.unit),
                counter: None,
            };
            assert!(facts.write_twice(module, &each));
        });
        assert!(after.contains("mul nsw i64 4, %i"), "{after}");
        assert!(after.contains("mul nsw i64 %stride, "), "{after}");
        assert!(after.contains("icmp eq i64"), "{after}");
    }
}
