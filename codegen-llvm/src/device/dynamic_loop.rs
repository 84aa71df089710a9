//! The loop of a region whose iterations threads ask for (`schedule(dynamic)`, `guided`, `runtime`; OpenMP 5.2,
//! §11.5.3), as clang emits it:
//!
//! ```text
//! dispatch_init(schedule, first, last, 1, chunk);
//! while (dispatch_next(lower, upper, stride)) {
//!     for (i = lower; i <= upper; i++) ...
//! }
//! ```
//!
//! It can become one whose iterations are dealt beforehand:
//!
//! ```text
//! init(lower, behind, stride);
//! upper = last - behind;
//! for (i = lower; i <= upper; i += stride) ...
//! ```

use llvm_sys::LLVMIntPredicate::LLVMIntNE;
use llvm_sys::LLVMOpcode::{LLVMBr, LLVMICmp};

use super::static_init::{OF_THREADS, calls_of};
use super::thread_loop::{counter_of, deal_singly, is_plain, less_behind, next_of, only, step_by};
use crate::analysis::locals::loaded_from;
use crate::ir::{Block, Builder, Context, Module, Type, Value};

/// What the names of the calls begin with; a type's letters follow.
const BEGIN: &str = "__kmpc_dispatch_init_";
const NEXT: &str = "__kmpc_dispatch_next_";
/// The end of such a loop; older clangs have none.
const END: &str = "__kmpc_dispatch_deinit";
/// The bit of a schedule for loops with `ordered` regions.
const ORDERED: u64 = 64;

/// Arguments of [`BEGIN`].
const SCHEDULE: u32 = 2;
const FIRST: u32 = 3;
const LAST: u32 = 4;
const INCREMENT: u32 = 5;
/// Arguments of [`NEXT`].
const IS_LAST: u32 = 2;
const LOWER: u32 = 3;
const UPPER: u32 = 4;
const STRIDE: u32 = 5;

/// clang's loop.
pub struct DynamicLoop {
    begin: Value,
    /// The call that asks for a chunk, and the comparison of its answer.
    ask: Value,
    answer: Value,
    /// The addition that gives the next iteration of a chunk.
    next: Value,
    /// The branch back to the question, and what follows the loop.
    latch: Value,
    exit: Block,
}

impl DynamicLoop {
    /// The loop of a region with one such loop, and no other.
    pub fn of(region: Value) -> Option<DynamicLoop> {
        let [begin, ask] = [BEGIN, NEXT].map(|name| only(calls_of(region, name)));
        let (begin, ask) = (begin?, ask?);
        let answer = only(ask.users().into_iter())?;
        let test = only(answer.users().into_iter())?;
        let is_test = answer.opcode() == Some(LLVMICmp)
            && answer.int_predicate() == LLVMIntNE
            && answer.operand(1).as_int() == Some(0);
        let [_, exit] = test.successors()[..] else {
            return None;
        };

        let before = ask.block().predecessors().into_iter();
        let latch = only(
            before
                .filter(|it| *it != begin.block())
                .filter_map(Block::terminator),
        )?;
        let goes_back = latch.opcode() == Some(LLVMBr) && latch.successors().len() == 1;

        let next = next_of(counter_of(ask, ask.operand(LOWER).address_base())?)?;
        let is_alone = calls_of(region, OF_THREADS).next().is_none();
        let schedule = begin.operand(SCHEDULE).as_int()?;
        let is_plain_loop = schedule & ORDERED == 0
            && begin.operand(INCREMENT).as_int() == Some(1)
            && [(FIRST, LOWER), (LAST, UPPER)]
                .into_iter()
                .all(|(value, bound)| {
                    loaded_from(begin.operand(value)) == Some(ask.operand(bound).address_base())
                });
        (is_test && goes_back && is_alone && is_plain_loop && is_plain(exit)).then_some(
            DynamicLoop {
                begin,
                ask,
                answer,
                next: next.operand(0),
                latch,
                exit,
            },
        )
    }

    /// The locals with the bounds of the whole loop, and later of a chunk.
    pub fn bounds(&self) -> [Value; 2] {
        [LOWER, UPPER].map(|it| self.ask.operand(it))
    }

    /// Has the iterations dealt beforehand. Gives the call that deals them.
    pub fn deal_beforehand(&self, context: Context, module: &Module, schedule: u64) -> Value {
        let dealt = self.deal(context, module);
        step_by(context, self.next, self.ask.operand(STRIDE));
        self.latch.set_successor(0, self.exit);
        let yes = Value::int(self.answer.ty(), 1);
        self.answer.replace_all_uses(yes);
        let ends: Vec<_> = calls_of(self.ask.block().function(), END).collect();
        for instruction in [&[self.answer, self.ask, self.begin][..], &ends].concat() {
            // SAFETY: the comparison and the question have no uses any more, the others have no result.
            unsafe { instruction.erase() };
        }
        deal_singly(context, dealt, schedule);
        dealt
    }

    /// The call in place of the loop's begin, with the loop's end after it.
    fn deal(&self, context: Context, module: &Module) -> Value {
        let builder = Builder::before(context, self.begin);
        let name = self.begin.called().name();
        let suffix = &name[BEGIN.len()..];
        let [location, thread, _, _, last, increment, chunk] = self.begin.arguments()[..] else {
            unreachable!("clang passes seven arguments");
        };
        let [is_last, lower, upper, stride] =
            [IS_LAST, LOWER, UPPER, STRIDE].map(|it| self.ask.operand(it));
        let zero = Value::int(Type::int(context, 32), 0);
        let arguments = [
            location, thread, zero, is_last, lower, upper, stride, increment, chunk,
        ];
        let types: Vec<_> = arguments.iter().map(|it| it.ty()).collect();
        let ty = Type::function(Type::void(context), &types);
        let function = module.declare(&format!("{OF_THREADS}{suffix}"), ty);
        let dealt = builder.call_function(function, &arguments);
        builder.store(less_behind(&builder, last, last.ty(), upper), upper);
        dealt
    }
}
