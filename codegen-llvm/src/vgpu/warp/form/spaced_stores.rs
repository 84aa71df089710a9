//! Stores of a block that together write all elements from each lane's first one to the next lane's: they become stores
//! of whole vectors (`spaced_access`), where the last of them is.

use llvm_sys::LLVMOpcode;

use super::access_pattern::AccessPattern;
use super::interleaved_access::REACH;
use super::lane_serialisation::ignores_memory;
use super::vectoriser::Vectoriser;
use crate::ir::Value;
use crate::vgpu::warp::analysis::affine_address::AffineAddress;
use crate::vgpu::warp::analysis::context_fields;

/// The stores.
pub(super) struct SpacedStores {
    /// By their addresses.
    stores: Vec<Value>,
    /// The one behind which all values are known.
    last: Value,
}

impl Vectoriser<'_> {
    /// The group that begins with the first of a block's remaining instructions, if that is a store of one.
    pub(super) fn spaced_stores(&self, instructions: &[Value]) -> Option<SpacedStores> {
        let first = *instructions.first()?;
        let ty = is_plain_store(first).then(|| first.operand(0).ty())?;
        let size = context_fields::is_element(ty).then(|| self.layout.alloc_size(ty))?;
        let apart = self.spacing(first.operand(1), size)?;
        let address = AffineAddress::of(self.layout, first.operand(1));
        let near = instructions.iter().take(REACH);
        let free = near.take_while(|&&it| is_plain_store(it) || ignores_memory(it));
        let mut found = Vec::new();
        for &store in free.filter(|&&it| is_plain_store(it)) {
            let other = AffineAddress::of(self.layout, store.operand(1));
            let offset = address.bytes_to(&other)?;
            found.push((offset, store));
            if store.operand(0).ty() != ty || found.len() == apart as usize {
                break;
            }
        }
        let last = found.last()?.1;
        found.sort_by_key(|(offset, _)| *offset);
        let lowest = found[0].0;
        let places = (0..i64::from(apart)).map(|place| lowest + place * size as i64);
        let is_whole = found.iter().map(|(offset, _)| *offset).eq(places)
            && found.iter().all(|(_, store)| store.operand(0).ty() == ty);
        is_whole.then(|| SpacedStores {
            stores: found.into_iter().map(|(_, store)| store).collect(),
            last,
        })
    }

    /// Whether a store waits for others, or was written with them.
    pub(super) fn joins_others(&mut self, store: Value) -> bool {
        let Some(group) = self.pending.take_if(|group| group.last == store) else {
            return { self.pending.iter() }.any(|group| group.stores.contains(&store));
        };
        self.store_together(&group);
        true
    }

    fn store_together(&mut self, group: &SpacedStores) {
        let (address, ty) = (group.stores[0].operand(1), group.last.operand(0).ty());
        let alignments = group.stores.iter().map(|store| store.alignment());
        let alignment = alignments.min().unwrap_or(1);
        let values: Vec<_> = { group.stores.iter() }
            .map(|store| self.vector(store.operand(0)))
            .collect();
        // As for a load: the vectors need no mask.
        match self.access_pattern(address, ty, true) {
            AccessPattern::Runs(runs) => self.store_dense(&values, runs, alignment),
            AccessPattern::RunsIf(test, runs) => {
                let (near, far, done) = self.fork(test.holds);
                self.builder.move_to_end(near);
                self.store_dense(&values, runs, alignment);
                self.builder.jump(done);
                self.builder.move_to_end(far);
                self.on_side_path(|vectoriser| vectoriser.scatter_each(group, &values));
                self.builder.jump(done);
                self.builder.move_to_end(done);
            }
            AccessPattern::GatherScatter => self.scatter_each(group, &values),
        }
    }

    fn scatter_each(&mut self, group: &SpacedStores, values: &[Value]) {
        for (store, &value) in group.stores.iter().zip(values) {
            let pointers = self.rematerialise_pointers(store.operand(1));
            self.scatter(value, pointers, store.alignment());
        }
    }
}

fn is_plain_store(instruction: Value) -> bool {
    instruction.opcode() == Some(LLVMOpcode::LLVMStore)
        && !instruction.is_volatile()
        && !instruction.is_atomic()
}
