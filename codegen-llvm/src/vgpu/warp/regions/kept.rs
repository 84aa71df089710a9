//! What a warp keeps in its frame from one region to the next.

use std::collections::{HashMap, HashSet};

use llvm_sys::LLVMOpcode;
use vgpu_abi::{MAX_FRAME, WarpFrame};

use crate::ir::{Block, Layout, Value};

/// Alignment of frames, and most alignment of what is in them.
const ALIGNMENT: u64 = 64;

/// The local variables of a form whose phis are in memory, and their places in the frame.
pub struct Kept {
    /// Variables that are read and written as a whole: values.
    pub values: Vec<Value>,
    /// All others, with their places.
    pub arrays: Vec<(Value, u64)>,
    /// The places of values that some region needs from an earlier one.
    pub places: HashMap<Value, u64>,
    /// By the region that a block begins: the values it needs.
    pub needed: HashMap<Block, Vec<Value>>,
    /// Bytes of a frame.
    pub size: u32,
}

impl Kept {
    /// For regions that begin with these blocks; `None` if a frame would be too large, or has no fixed size.
    pub fn new(layout: Layout, form: Value, starts: &[Block]) -> Option<Kept> {
        let is_local = |it: &Value| it.opcode() == Some(LLVMOpcode::LLVMAlloca);
        let locals = form.instructions().into_iter().filter(is_local);
        let (values, arrays): (Vec<_>, Vec<_>) = locals.partition(|&it| is_value(it));
        let mut frame = Frame(size_of::<WarpFrame>() as u64);
        let placed = arrays.into_iter().map(|it| {
            let place = frame.take(layout.local_size(it)?, it.alignment());
            Some((it, place))
        });
        let arrays = placed.collect::<Option<_>>()?;
        let live = Live::new(form, &values);
        let (mut places, mut needed) = (HashMap::new(), HashMap::new());
        for &start in starts {
            let needs: Vec<_> = { values.iter().copied() }
                .filter(|&value| live.at(start, value))
                .collect();
            for &value in &needs {
                let ty = value.allocated_type();
                let place = || frame.take(layout.alloc_size(ty), layout.alignment(ty));
                places.entry(value).or_insert_with(place);
            }
            needed.insert(start, needs);
        }
        let size = frame.take(0, ALIGNMENT);
        (size <= u64::from(MAX_FRAME)).then_some(Kept {
            values,
            arrays,
            places,
            needed,
            size: size as u32,
        })
    }
}

/// The bytes of a frame that are given away.
struct Frame(u64);

impl Frame {
    fn take(&mut self, bytes: u64, alignment: u64) -> u64 {
        let place = self.0.next_multiple_of(alignment.clamp(1, ALIGNMENT));
        self.0 = place.saturating_add(bytes);
        place
    }
}

/// Whether a local variable is only read and written as a whole.
fn is_value(local: Value) -> bool {
    let ty = local.allocated_type();
    let whole = |user: Value| match user.opcode() {
        Some(LLVMOpcode::LLVMLoad) => user.ty() == ty && !user.is_volatile(),
        Some(LLVMOpcode::LLVMStore) => {
            user.operand(0) != local && user.operand(0).ty() == ty && !user.is_volatile()
        }
        _ => false,
    };
    local.allocated_count().as_int() == Some(1) && local.users().into_iter().all(whole)
}

/// Where which values are read before they are written.
struct Live(HashMap<Block, HashSet<Value>>);

impl Live {
    /// Goes back from each read to where the value is written, so that each block is met once for a value that is live
    /// in it.
    fn new(form: Value, values: &[Value]) -> Live {
        let values: HashSet<_> = values.iter().copied().collect();
        let (mut live, mut written) = (HashMap::new(), HashMap::new());
        let mut pending = Vec::new();
        let mut before: HashMap<Block, Vec<Block>> = HashMap::new();
        for block in form.blocks() {
            let (read, stored) = accesses(block, &values);
            pending.extend(read.iter().map(|&value| (block, value)));
            live.insert(block, read);
            written.insert(block, stored);
            for next in block.successors() {
                before.entry(next).or_default().push(block);
            }
        }
        while let Some((block, value)) = pending.pop() {
            for &from in before.get(&block).into_iter().flatten() {
                let here = live.get_mut(&from).expect("every block has an entry");
                if !written[&from].contains(&value) && here.insert(value) {
                    pending.push((from, value));
                }
            }
        }
        Live(live)
    }

    fn at(&self, start: Block, value: Value) -> bool {
        self.0[&start].contains(&value)
    }
}

/// The values that a block reads before it writes them, and those that it writes.
fn accesses(block: Block, values: &HashSet<Value>) -> (HashSet<Value>, HashSet<Value>) {
    let (mut read, mut written) = (HashSet::new(), HashSet::new());
    for instruction in block.instructions() {
        match instruction.opcode() {
            Some(LLVMOpcode::LLVMLoad) => {
                let local = instruction.operand(0);
                if values.contains(&local) && !written.contains(&local) {
                    read.insert(local);
                }
            }
            Some(LLVMOpcode::LLVMStore) if values.contains(&instruction.operand(1)) => {
                written.insert(instruction.operand(1));
            }
            _ => {}
        }
    }
    (read, written)
}
