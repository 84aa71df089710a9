//! Which memory instructions access that other threads may see, as far as barriers must order them.

use std::collections::HashSet;
use std::mem::offset_of;
use std::ops::Range;

use llvm_sys::LLVMIntPredicate;
use llvm_sys::LLVMOpcode::{self, *};
use vgpu_abi::ThreadContext;

use crate::ir::{Block, Layout, Value};
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::analysis::context_fields::{self, LaneAxis};

/// Most threads of a block.
const MOST_THREADS: u64 = 1024;
/// Address spaces of both kinds of images.
const GLOBAL: u32 = 1;
const SHARED: u32 = 3;

/// Where an access goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// These bytes of the block's shared memory.
    Shared(Range<u64>),
    /// Global memory.
    Global,
    /// Anywhere.
    Unknown,
}

impl Place {
    fn of(layout: Layout, address: Value, size: u64, guard: Option<Guard>) -> Place {
        match address.ty().address_space() {
            GLOBAL => return Place::Global,
            _ if comes_from_host(address) => return Place::Global,
            _ => {}
        }
        match shared_offsets(layout, address, guard) {
            Some(Range { start, end }) => Place::Shared(start..end.saturating_add(size)),
            None if address.ty().address_space() == SHARED => Place::Shared(0..u64::MAX),
            None => Place::Unknown,
        }
    }

    /// Whether two accesses may be to the same memory.
    pub fn meets(&self, other: &Place) -> bool {
        use Place::{Global, Shared, Unknown};
        match (self, other) {
            (Unknown, _) | (_, Unknown) | (Global, Global) => true,
            (Global, Shared(_)) | (Shared(_), Global) => false,
            (Shared(one), Shared(two)) => one.start < two.end && two.start < one.end,
        }
    }
}

/// An access of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Where it goes.
    pub place: Place,
    /// Whether it writes, or may have other effects.
    pub writes: bool,
}

/// The access of an instruction to memory that other threads may see.
pub fn of(layout: Layout, instruction: Value) -> Option<Access> {
    let access = |address: Value, size, writes| {
        let place = Place::of(layout, address, size, Guard::of(instruction.block()));
        (!is_local(address)).then_some(Access { place, writes })
    };
    let unknown = Access {
        place: Place::Unknown,
        writes: true,
    };
    match instruction.opcode()? {
        LLVMLoad if context_fields::context_field(instruction).is_some() => None,
        LLVMLoad => {
            let size = layout.alloc_size(instruction.ty());
            access(instruction.operand(0), size, instruction.is_atomic())
        }
        LLVMStore => {
            let size = layout.alloc_size(instruction.operand(0).ty());
            access(instruction.operand(1), size, true)
        }
        LLVMAtomicRMW => {
            let size = layout.alloc_size(instruction.ty());
            access(instruction.operand(0), size, true)
        }
        LLVMAtomicCmpXchg | LLVMFence => Some(unknown),
        LLVMCall | LLVMInvoke | LLVMCallBr => match callee::of(instruction) {
            Callee::Context
            | Callee::WindowCheck
            | Callee::WindowRangeCheck
            | Callee::ObjectCheck
            | Callee::AccessCheck
            | Callee::FenceCheck
            | Callee::SyncCheck
            | Callee::MembersCheck
            | Callee::Hint
            | Callee::NoaliasScope
            | Callee::VectorIntrinsic
            | Callee::Shuffle
            | Callee::Vote
            | Callee::Redux
            | Callee::MatchAll
            | Callee::MatchAny => None,
            _ => Some(unknown),
        },
        _ => None,
    }
}

/// Removes stores to shared variables that a kernel nowhere reads. The device runtime writes such a one for the
/// optimiser alone (docs/device-runtime.md, "What the optimiser knows").
pub fn remove_unread(layout: Layout, kernel: Value) {
    let instructions = kernel.instructions();
    let is_plain_store =
        |it: Value| it.opcode() == Some(LLVMStore) && !it.is_volatile() && !it.is_atomic();
    let (stores, others): (Vec<_>, Vec<_>) =
        instructions.into_iter().partition(|&it| is_plain_store(it));
    let barriers = |it: &Value| !it.is_call() || callee::of(*it) != Callee::Barrier;
    let read: HashSet<_> = others
        .into_iter()
        .filter(barriers)
        .filter_map(|it| of(layout, it))
        .collect();
    for store in stores {
        let Some(access) = of(layout, store) else {
            continue;
        };
        let is_shared = matches!(access.place, Place::Shared(_));
        if is_shared && !read.iter().any(|it| it.place.meets(&access.place)) {
            // SAFETY: a store has no result.
            unsafe { store.erase() };
        }
    }
}

/// Whether an address lies in one of the thread's own variables.
fn is_local(address: Value) -> bool {
    address.address_base().opcode() == Some(LLVMAlloca)
}

/// Whether an address was computed from a parameter of the kernel, which the host gave it.
fn comes_from_host(address: Value) -> bool {
    address.address_base().function_of_parameter().is_some()
}

/// The least and the greatest offset in shared memory at which an access may begin.
fn shared_offsets(layout: Layout, mut address: Value, guard: Option<Guard>) -> Option<Range<u64>> {
    let (mut least, mut most) = (0_u64, 0_u64);
    loop {
        match address.opcode()? {
            LLVMOpcode::LLVMAddrSpaceCast => {}
            LLVMOpcode::LLVMGetElementPtr => {
                for (index, scale) in context_fields::indices(layout, address) {
                    let (low, high) = bounds(index, guard)?;
                    least = least.checked_add(low.checked_mul(scale?)?)?;
                    most = most.checked_add(high.checked_mul(scale?)?)?;
                }
            }
            _ => break,
        }
        address = address.operand(0);
    }
    let base = context_fields::context_field_of(address);
    (base == Some(offset_of!(ThreadContext, shared_base))).then_some(least..most)
}

/// What holds in a block, because there is only one way to it: `index < bound`, unsigned.
#[derive(Clone, Copy)]
struct Guard {
    index: Value,
    bound: Value,
}

impl Guard {
    fn of(block: Block) -> Option<Guard> {
        let [before] = block.predecessors()[..] else {
            return None;
        };
        let branch = before.terminator()?;
        let condition = branch.condition()?;
        let holds = branch.opcode()? == LLVMBr
            && branch.successors().first() == Some(&block)
            && branch.successors().last() != Some(&block)
            && condition.opcode()? == LLVMICmp
            && condition.int_predicate() == LLVMIntPredicate::LLVMIntULT;
        holds.then(|| Guard {
            index: condition.operand(0),
            bound: condition.operand(1),
        })
    }
}

/// The least and the greatest value of an index; `None` if it may be negative.
fn bounds(index: Value, guard: Option<Guard>) -> Option<(u64, u64)> {
    if let Some(constant) = index.as_signed_int() {
        let constant = u64::try_from(constant).ok()?;
        return Some((constant, constant));
    }
    let most = most(index)?;
    let below = guard.filter(|guard| guard.index == index || zero_extends(index, guard.index));
    let below = below.and_then(|guard| match guard.bound.as_int() {
        Some(bound) => bound.checked_sub(1),
        None => self::most(guard.bound)?.checked_sub(1),
    });
    Some((0, below.map_or(most, |below| below.min(most))))
}

fn zero_extends(value: Value, other: Value) -> bool {
    value.opcode() == Some(LLVMZExt) && value.operand(0) == other
}

/// The greatest value that a number without sign has.
fn most(value: Value) -> Option<u64> {
    if let Some(constant) = value.as_signed_int() {
        return u64::try_from(constant).ok();
    }
    for axis in [LaneAxis::X, LaneAxis::Y] {
        match context_fields::context_field_of(value) {
            Some(field) if field == axis.thread_id() => return Some(MOST_THREADS - 1),
            Some(field) if field == axis.threads() => return Some(MOST_THREADS),
            _ => {}
        }
    }
    let constant = || value.operand(1).as_int();
    match value.opcode()? {
        LLVMZExt => {
            let from = value.operand(0);
            let any = (1_u64 << from.ty().int_width().min(63)) - 1;
            Some(most(from).unwrap_or(any))
        }
        LLVMAdd if value.cannot_carry() => {
            most(value.operand(0))?.checked_add(most(value.operand(1))?)
        }
        LLVMLShr => most(value.operand(0))?.checked_shr(constant()?.try_into().ok()?),
        LLVMAnd => constant().filter(|&mask| mask <= i32::MAX as u64),
        _ => None,
    }
}
