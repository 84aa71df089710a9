//! Computes again behind a barrier what is cheap to compute from what never changes: the kernel's arguments and the
//! warp's context. So it need not be kept in the frame.

use std::collections::{HashMap, HashSet};

use llvm_sys::LLVMOpcode;

use crate::ir::{Block, Builder, Context, Value};

/// Most instructions that a value may take.
const MAX_COST: usize = 16;

/// The step, for regions that begin with these blocks.
pub fn run(context: Context, form: Value, starts: &[Block]) {
    let parameters = form.parameters();
    let mut costs = Costs {
        parameters: &parameters,
        known: HashMap::new(),
    };
    let mut made = HashMap::new();
    for value in form.instructions() {
        let cheap = costs.of(value).is_some_and(|cost| cost <= MAX_COST);
        if cheap && !is_local(value) && crosses(value, starts) {
            replace(context, value, &mut made);
        }
    }
}

/// Whether a value is used behind a barrier: where one of these blocks begins.
fn crosses(value: Value, starts: &[Block]) -> bool {
    let home = value.block();
    let mut pending: Vec<_> = uses(value).map(|(_, _, block)| block).collect();
    let mut seen = HashSet::from([home]);
    while let Some(block) = pending.pop() {
        if seen.insert(block) {
            if starts.contains(&block) {
                return true;
            }
            pending.extend(block.predecessors());
        }
    }
    false
}

/// The users of a value, the operand's number, and the block where it must be known.
fn uses(value: Value) -> impl Iterator<Item = (Value, u32, Block)> {
    let users: HashSet<_> = value.users().into_iter().collect();
    users.into_iter().flat_map(move |user| {
        let places = (0..user.operand_count()).filter(move |&at| user.operand(at) == value);
        places.map(move |at| {
            let block = match user.is_phi() {
                true => user.incoming()[at as usize].1,
                false => user.block(),
            };
            (user, at, block)
        })
    })
}

/// Whether a value is the address of a local variable.
fn is_local(value: Value) -> bool {
    value.opcode() == Some(LLVMOpcode::LLVMAlloca)
}

/// What values cost to compute again, in instructions.
struct Costs<'a> {
    parameters: &'a [Value],
    known: HashMap<Value, Option<usize>>,
}

impl Costs<'_> {
    /// `None` for what may change, or costs much.
    fn of(&mut self, value: Value) -> Option<usize> {
        if value.is_constant() || self.parameters.contains(&value) {
            return Some(0);
        }
        if is_local(value) {
            // In each region it is an address in the warp's frame.
            return Some(0);
        }
        if !value.is_instruction() {
            return None;
        }
        if let Some(&cost) = self.known.get(&value) {
            return cost;
        }
        let cost = self.compute(value);
        self.known.insert(value, cost);
        cost
    }

    fn compute(&mut self, value: Value) -> Option<usize> {
        use LLVMOpcode::*;
        match value.opcode()? {
            LLVMLoad => self.is_argument(value).then_some(2),
            LLVMGetElementPtr | LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr
            | LLVMAnd | LLVMOr | LLVMXor | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMPtrToInt
            | LLVMIntToPtr | LLVMBitCast | LLVMAddrSpaceCast | LLVMICmp | LLVMSelect
            | LLVMInsertElement | LLVMExtractElement | LLVMShuffleVector => {
                let operands = value.operands();
                let mut cost = 1;
                for operand in operands {
                    cost += self.of(operand)?;
                }
                (cost <= MAX_COST).then_some(cost)
            }
            _ => None,
        }
    }

    /// Whether a load reads an argument of the kernel, or the context.
    fn is_argument(&self, load: Value) -> bool {
        let address = load.operand(0);
        let is_field = address.opcode() == Some(LLVMOpcode::LLVMGetElementPtr)
            && address
                .operands()
                .into_iter()
                .skip(1)
                .all(|it| it.is_constant());
        let base = if is_field {
            address.operand(0)
        } else {
            address
        };
        !load.is_volatile() && !load.is_atomic() && self.parameters[..2].contains(&base)
    }
}

/// Computes a value in each block that uses it.
fn replace(context: Context, value: Value, made: &mut HashMap<(Block, Value), Value>) {
    for (user, place, block) in uses(value).collect::<Vec<_>>() {
        if block == value.block() {
            continue;
        }
        let copy = copy(context, value, block, made);
        user.set_operand(place, copy);
    }
}

/// A value, computed at the beginning of a block.
fn copy(
    context: Context,
    value: Value,
    block: Block,
    made: &mut HashMap<(Block, Value), Value>,
) -> Value {
    if !value.is_instruction() || is_local(value) || value.block() == block {
        return value;
    }
    if let Some(&known) = made.get(&(block, value)) {
        return known;
    }
    let operands: Vec<_> = value
        .operands()
        .into_iter()
        .map(|operand| copy(context, operand, block, made))
        .collect();
    // Behind the operands, which may be the block's own.
    let own = operands
        .iter()
        .filter(|it| it.is_instruction() && it.block() == block);
    let position = own
        .map(|it| it.next().expect("an operand is no terminator"))
        .max_by_key(|it| place_of(block, *it))
        .or_else(|| block.instructions().into_iter().find(|it| !it.is_phi()))
        .expect("a block has a terminator");
    let new = Builder::before(context, position).copy_of(value);
    for (place, operand) in operands.into_iter().enumerate() {
        new.set_operand(place as u32, operand);
    }
    made.insert((block, value), new);
    new
}

/// Where an instruction stands in its block.
fn place_of(block: Block, instruction: Value) -> usize {
    block
        .instructions()
        .into_iter()
        .position(|it| it == instruction)
        .unwrap_or(0)
}
