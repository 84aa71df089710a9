//! Announces reads of consecutive elements as one read (pass `access-checks`).
//!
//! Needs: kernels of one function, before they are brought into shape. Leaves: announcements of several elements, whose
//! size is in the kind ([`AccessKind::of_elements`]).
//!
//! Only races are looked for. It does not matter to them when an access is announced, as long as its thread orders
//! nothing with others in between. So reads of a block are announced at the last of them, and those of a loop behind
//! it: of elements that follow each other from iteration to iteration, or of the same ones in each.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::AccessKind;

use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::{Block, Builder, Context, Layout, Module, Type, Value};
use crate::vgpu::warp::analysis::affine_address::AffineAddress;
use crate::vgpu::warp::analysis::callee::{self, Callee};

/// Kinds of accesses that stay alone: what they write may be known, and what they order matters.
const ALONE: [AccessKind; 5] = [
    AccessKind::WRITE,
    AccessKind::ATOMIC,
    AccessKind::ORDER,
    AccessKind::FRESH,
    AccessKind::PRIVATE,
];

/// The step, for a kernel.
pub fn run(module: &Module, kernel: Value) {
    let (context, layout) = (module.context, module.layout());
    for block in kernel.blocks() {
        merge_in_block(context, layout, block);
    }
    let mut done = Vec::new();
    loop {
        let flow = ControlFlow::new(kernel);
        let mut loops = flow.loops();
        loops.sort_by_key(|each| each.body.len());
        let Some(next) = loops.iter().find(|each| !done.contains(&each.header)) else {
            return;
        };
        done.push(next.header);
        let latches = loops.iter().filter(|each| each.header == next.header);
        if latches.count() == 1 {
            merge_in_loop(context, layout, &flow, next);
        }
    }
}

/// An announced read.
struct Read {
    call: Value,
    address: AffineAddress,
    size: u64,
}

impl Read {
    fn of(layout: Layout, call: Value) -> Option<Read> {
        if !call.is_call() || callee::of(call) != Callee::AccessCheck {
            return None;
        }
        let kind = AccessKind(call.operand(4).as_int()? as u32);
        let size = call.operand(1).as_int()?;
        let element = kind.element().unwrap_or(size);
        let fits = !ALONE.iter().any(|&other| kind.has(other));
        (fits && (1..=AccessKind::LARGEST_ELEMENT).contains(&element)).then(|| Read {
            call,
            address: AffineAddress::of(layout, call.operand(0)),
            size,
        })
    }

    /// The bytes of an element.
    fn element(&self) -> u64 {
        let kind = AccessKind(self.call.operand(4).as_int().unwrap_or(0) as u32);
        kind.element().unwrap_or(self.size)
    }

    /// Whether the two are at one place of the program.
    fn is_like(&self, other: &Read) -> bool {
        let same = |operand| self.call.operand(operand) == other.call.operand(operand);
        same(3) && self.element() == other.element()
    }

    /// Announces so many bytes at an address instead.
    fn announce(&self, context: Context, builder: &Builder, address: Value, size: Value) {
        let int = Type::int(context, 32);
        let kind = AccessKind(self.call.operand(4).as_int().unwrap_or(0) as u32);
        let kind = kind.of_elements(self.element());
        let kind = Value::int(int, kind.0.into());
        let (value, site) = (self.call.operand(2), self.call.operand(3));
        builder.locate_as(self.call);
        builder.call_function(self.call.called(), &[address, size, value, site, kind]);
    }
}

fn merge_in_block(context: Context, layout: Layout, block: Block) {
    let mut open = Vec::new();
    for instruction in block.instructions() {
        if may_order(instruction) {
            merge(context, std::mem::take(&mut open));
        } else {
            open.extend(Read::of(layout, instruction));
        }
    }
    merge(context, open);
}

/// Merges reads of a block, which are in order.
fn merge(context: Context, mut reads: Vec<Read>) {
    while !reads.is_empty() {
        let first = reads.remove(0);
        let (same, others) = reads.into_iter().partition(|read| {
            first.is_like(read) && first.address.bytes_to(&read.address).is_some()
        });
        reads = others;
        merge_consecutive(context, first, same);
    }
}

/// Merges reads at known distances from the first one.
fn merge_consecutive(context: Context, first: Read, others: Vec<Read>) {
    let mut placed = vec![(0, 0, &first)];
    for (order, read) in others.iter().enumerate() {
        let distance = first.address.bytes_to(&read.address).unwrap_or(0);
        placed.push((distance, order + 1, read));
    }
    placed.sort_by_key(|(distance, order, _)| (*distance, *order));
    let mut rest = &placed[..];
    while let [(begin, _, lowest), ..] = *rest {
        let mut end = begin;
        let behind = |&&(distance, _, read): &&(i64, usize, &Read)| {
            let follows = distance <= end;
            end = end.max(distance + read.size as i64);
            follows
        };
        let count = rest.iter().take_while(behind).count();
        let (run, left) = rest.split_at(count);
        rest = left;
        let Some((_, _, last)) = run.iter().max_by_key(|(_, order, _)| *order) else {
            return;
        };
        if run.len() == 1 {
            continue;
        }
        let (lowest, bytes) = (lowest.call.operand(0), run_end(run) - begin);
        let bytes = Value::int(Type::int(context, 64), bytes as u64);
        last.announce(context, &Builder::before(context, last.call), lowest, bytes);
        for (_, _, read) in run {
            // SAFETY: the call has no result, and nobody looks at it after this.
            unsafe { read.call.erase() };
        }
    }
}

/// Where a run of reads ends.
fn run_end(run: &[(i64, usize, &Read)]) -> i64 {
    let ends = run
        .iter()
        .map(|(distance, _, read)| distance + read.size as i64);
    ends.max().unwrap_or(0)
}

/// Announces reads of a loop behind it, if the loop has one exit, at its end.
fn merge_in_loop(context: Context, layout: Layout, flow: &ControlFlow, each: &Loop) {
    let Some(exit) = exit_at_end(each) else {
        return;
    };
    if each.instructions().any(may_order) {
        return;
    }
    let counters = Counters::of(layout, each);
    let always: Vec<_> = flow.dominators(each.latch).collect();
    let blocks = each.body.iter().filter(|block| always.contains(block));
    let reads = blocks.flat_map(|block| block.instructions());
    let reads = reads.filter_map(|it| Read::of(layout, it));
    let merged: Vec<_> = reads
        .filter_map(|read| Some((counters.merged_bytes(&read)?, read)))
        .collect();
    if merged.is_empty() {
        return;
    }
    let landing = Builder::block_before(context, exit);
    Builder::at_end(context, landing).jump(exit);
    let end = each.latch.terminator().expect("the block has successors");
    end.redirect(exit, landing);
    exit.rename_incoming(context, each.latch, landing);
    let end = landing.terminator().expect("it has just been written");
    for (bytes, read) in merged {
        let builder = Builder::before(context, end);
        let address = read
            .address
            .emit(context, &builder, |value| counters.first(value));
        let bytes = bytes.emit(context, &builder);
        read.announce(context, &builder, address, bytes);
        // SAFETY: the call has no result, and nobody looks at it after this.
        unsafe { read.call.erase() };
    }
}

/// Where a loop ends, if its last block alone leaves it.
fn exit_at_end(each: &Loop) -> Option<Block> {
    let mut exits = each.body.iter().flat_map(|&block| {
        let outside = move |next: &Block| !each.body.contains(next);
        let leaves = block.successors().into_iter().filter(outside);
        leaves.map(move |exit| (block, exit))
    });
    let only = exits.next().filter(|(block, _)| *block == each.latch)?;
    exits.next().is_none().then_some(only.1)
}

/// A phi of a loop's header that grows by the same in each iteration.
struct Counter {
    phi: Value,
    first: Value,
    next: Value,
    step: i64,
    /// Whether it grows so as a signed number of 64 bits, and as one without sign.
    extends: [bool; 2],
}

/// What a loop counts.
struct Counters<'a> {
    body: &'a Loop,
    all: Vec<Counter>,
    /// How often the loop runs, if that is known.
    trips: Option<i64>,
}

/// How many bytes all iterations read.
enum Bytes {
    Known(i64),
    /// As much as a counter has grown, times a factor.
    Grown(Value, Value, i64),
}

impl Counter {
    fn of(layout: Layout, phi: Value, latch: Block) -> Option<Counter> {
        let incoming = phi.incoming();
        let &(next, _) = incoming.iter().find(|(_, from)| *from == latch)?;
        let &(first, _) = incoming.iter().find(|(_, from)| *from != latch)?;
        if incoming.len() != 2 || next.operand_or_none(0) != Some(phi) {
            return None;
        }
        let (step, extends) = match next.opcode()? {
            LLVMOpcode::LLVMAdd => {
                let wide = phi.ty().int_width() == 64;
                let extends = [next.cannot_overflow() || wide, next.cannot_carry() || wide];
                (next.operand(1).as_signed_int()?, extends)
            }
            LLVMOpcode::LLVMGetElementPtr => (layout.constant_offset(next)? as i64, [true; 2]),
            _ => return None,
        };
        (step != 0).then_some(Counter {
            phi,
            first,
            next,
            step,
            extends,
        })
    }

    /// How often the loop runs that ends with this branch, if it ends when the counter comes to a constant.
    fn trips(&self, end: Value, header: Block) -> Option<i64> {
        let condition = end.condition()?;
        let ends_if_equal = end.successors().first() != Some(&header);
        let equal = match condition.int_predicate() {
            LLVMIntPredicate::LLVMIntEQ => true,
            LLVMIntPredicate::LLVMIntNE => false,
            _ => return None,
        };
        if equal != ends_if_equal || condition.operand(0) != self.next {
            return None;
        }
        let last = condition.operand(1).as_signed_int()?;
        let grown = last.checked_sub(self.first.as_signed_int()?)?;
        (grown % self.step == 0).then_some(grown / self.step)
    }
}

impl Counters<'_> {
    fn of(layout: Layout, body: &Loop) -> Counters<'_> {
        let instructions = body.header.instructions();
        let phis = instructions.into_iter().take_while(|it| it.is_phi());
        let all: Vec<_> = phis
            .filter_map(|phi| Counter::of(layout, phi, body.latch))
            .collect();
        let end = body.latch.terminator().filter(|end| {
            let condition = end.condition();
            condition.is_some_and(|it| it.opcode() == Some(LLVMOpcode::LLVMICmp))
        });
        let trips = end.and_then(|end| {
            let mut known = all.iter().filter_map(|it| it.trips(end, body.header));
            known.next().filter(|trips| *trips > 0)
        });
        Counters { body, all, trips }
    }

    /// A value in the first iteration, if [`Self::step`] knows how it grows.
    fn first(&self, value: Value) -> Value {
        let counter = self.all.iter().find(|it| it.phi == value);
        counter.map_or(value, |it| it.first)
    }

    /// By how much a value grows in each iteration.
    fn step(&self, value: Value, signed: bool) -> Option<i64> {
        if !value.is_instruction() || !self.body.body.contains(&value.block()) {
            return Some(0);
        }
        let counter = self.all.iter().find(|it| it.phi == value)?;
        counter.extends[usize::from(!signed)].then_some(counter.step)
    }

    /// How many bytes a read has in all iterations, if they are consecutive, or the same each time.
    fn merged_bytes(&self, read: &Read) -> Option<Bytes> {
        let step = read
            .address
            .step(|value, signed| self.step(value, signed))?;
        if step == 0 {
            return Some(Bytes::Known(read.size as i64));
        }
        if step != read.size as i64 {
            return None;
        }
        if let Some(trips) = self.trips {
            return Some(Bytes::Known(trips.checked_mul(step)?));
        }
        let fits = |it: &&Counter| it.phi.ty().is_int() && it.extends[0] && step % it.step == 0;
        let counter = self.all.iter().find(fits)?;
        let factor = step / counter.step;
        Some(Bytes::Grown(counter.first, counter.next, factor))
    }
}

impl Bytes {
    fn emit(&self, context: Context, builder: &Builder) -> Value {
        let int = Type::int(context, 64);
        match *self {
            Bytes::Known(bytes) => Value::int(int, bytes as u64),
            Bytes::Grown(first, next, factor) => {
                let [first, next] =
                    [first, next].map(|it| builder.cast(LLVMOpcode::LLVMSExt, it, int));
                let grown = builder.binary(LLVMOpcode::LLVMSub, next, first);
                let factor = Value::int(int, factor as u64);
                builder.binary(LLVMOpcode::LLVMMul, grown, factor)
            }
        }
    }
}

/// Whether what an instruction's thread does before it may be ordered with what others do, or what it does after it.
fn may_order(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore) => {
            instruction.is_volatile() || instruction.is_atomic()
        }
        Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg | LLVMOpcode::LLVMFence) => {
            true
        }
        Some(LLVMOpcode::LLVMCall | LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr) => {
            match callee::of(instruction) {
                Callee::AccessCheck => {
                    let kind = instruction.operand(4).as_int().unwrap_or(u64::MAX);
                    AccessKind(kind as u32).has(AccessKind::ATOMIC)
                }
                Callee::Context
                | Callee::WindowCheck
                | Callee::WindowRangeCheck
                | Callee::ObjectCheck
                | Callee::Hint
                | Callee::NoaliasScope
                | Callee::VectorIntrinsic
                | Callee::MemoryTransfer => false,
                _ => true,
            }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHECK: &str =
        "declare void @vgpu.check_access(ptr, i64, i64, i32, i32)\ndeclare void @vgpu_barrier()\n";

    /// The announcements of a kernel after the step: address, size, site and kind, as far as they are constants.
    fn merged(body: &str) -> Vec<(String, Option<u64>, u64)> {
        let text = format!("{CHECK}define void @k(ptr %p, ptr %q, i64 %n) {{\n{body}\n}}");
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        let kernel = module.function("k").unwrap();
        run(&module, kernel);
        module.verify("after the step").unwrap();
        let calls = kernel.instructions().into_iter().filter(|it| it.is_call());
        let checks = calls.filter(|it| callee::of(*it) == Callee::AccessCheck);
        checks
            .map(|it| {
                let block = it.block().name();
                let kind = it.operand(4).as_int().unwrap();
                (block, it.operand(1).as_int(), kind)
            })
            .collect()
    }

    /// `call` of a read of 4 bytes.
    fn read(address: &str) -> String {
        format!(" call void @vgpu.check_access(ptr {address}, i64 4, i64 0, i32 2, i32 1)\n")
    }

    fn elements(kind: u32) -> u64 {
        AccessKind(kind).of_elements(4).0.into()
    }

    #[test]
    fn reads_of_a_block_are_one_unless_something_orders_them() {
        let at = |offset: u32, name: &str| {
            format!(" %{name} = getelementptr i8, ptr %p, i64 {offset}\n")
        };
        let all = [at(4, "b"), at(8, "c"), at(16, "d"), at(12, "e")].concat();
        let between = |middle: &str| {
            let reads = ["%c", "%p", "%b"].map(read).concat();
            format!("{all}{reads}{middle}{}{} ret void", read("%e"), read("%d"))
        };
        let sizes = |found: Vec<(String, Option<u64>, u64)>| {
            let all = found
                .into_iter()
                .map(|(_, size, kind)| (size.unwrap(), kind));
            all.collect::<Vec<_>>()
        };
        assert_eq!(sizes(merged(&between(""))), [(20, elements(1))]);
        let ordered = sizes(merged(&between(" call void @vgpu_barrier()\n")));
        assert_eq!(ordered, [(12, elements(1)), (8, elements(1))]);
    }

    fn counting(bound: &str, index: &str, more: &str) -> String {
        let address = " %a = getelementptr float, ptr %p, i64 %x\n";
        format!(
            "entry:\n br label %body\nbody:\n %i = phi i64 [ 0, %entry ], [ %next, %body ]\n{index}{address}{}{more} \
             %next = add i64 %i, 1\n %end = icmp eq i64 %next, {bound}\n br i1 %end, label %out, label %body\nout:\n \
             ret void",
            read("%a")
        )
    }

    #[test]
    fn reads_of_a_loop_are_one_behind_it() {
        let plain = " %x = add i64 %i, %n\n";
        let found = merged(&counting("16", plain, ""));
        assert_eq!(found, [(String::new(), Some(64), elements(1))]);
        let found = merged(&counting("%n", plain, ""));
        assert_eq!(found, [(String::new(), None, elements(1))]);
        let fixed = " %x = add i64 %n, 1\n";
        let found = merged(&counting("%n", fixed, ""));
        assert_eq!(found, [(String::new(), Some(4), elements(1))]);
        let wide = " %x = mul i64 %i, 3\n";
        let found = merged(&counting("16", wide, ""));
        assert_eq!(found, [("body".to_owned(), Some(4), 1)]);
        let found = merged(&counting("16", plain, " call void @vgpu_barrier()\n"));
        assert_eq!(found, [("body".to_owned(), Some(4), 1)]);
    }
}
