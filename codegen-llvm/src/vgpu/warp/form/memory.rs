//! Loads and stores.
//!
//! One address for all lanes is one scalar access. Consecutive elements are one masked vector access, or one for each
//! run of them (`runs`). Anything else is a gather or a scatter, or a test at run time that chooses (`access_pattern`).
//! Volatile accesses are such instructions, too, between fences that the compiler alone observes: CUDA programs
//! exchange values through volatile shared memory. Atomic ones are done lane by lane.

use llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;

use super::access_pattern::AccessPattern;
use super::row_runs::RowRuns;
use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// A load.
    pub(super) fn load(&mut self, load: Value) -> Result<(), Refusal> {
        let address = load.operand(0);
        if self.vectors.contains_key(&load) {
            // Loaded already, with its interleave group.
            return Ok(());
        }
        if self.is_context_load(load) || self.divergence.shape(address).is_uniform() {
            let value = self.copy_scalar(load);
            self.define_scalar(load, value);
            return Ok(());
        }
        if load.is_atomic() || !context_fields::is_element(load.ty()) {
            return self.lane_by_lane(load, false);
        }
        self.keep_order_at(load);
        let ty = load.ty();
        let alignment = load.alignment();
        if let Some(rows) = self.row_runs(address, ty) {
            let value = self.load_rows_or_gather(address, ty, &rows, alignment);
            self.keep_order_at(load);
            self.define_vector(load, value);
            return Ok(());
        }
        let value = match self.access_pattern(address, ty, true) {
            AccessPattern::Runs(runs) => self.load_runs(address, ty, runs, alignment),
            AccessPattern::GatherScatter => match self.fixed_distances(address) {
                Some(distances) => self.load_one_by_one(address, ty, &distances, alignment),
                None => {
                    let pointers = self.flat_vector(address);
                    self.gather(ty.vector(self.width), pointers, alignment)
                }
            },
            AccessPattern::RunsIf(test, runs) => {
                let (near, far, done) = self.fork(test.holds);
                self.builder.move_to_end(near);
                let consecutive = self.load_runs(address, ty, runs, alignment);
                self.builder.jump(done);
                self.builder.move_to_end(far);
                let pointers =
                    self.on_side_path(|vectoriser| vectoriser.rematerialise_pointers(address));
                let gathered = self.gather(ty.vector(self.width), pointers, alignment);
                self.builder.jump(done);
                self.builder.move_to_end(done);
                self.merge_paths(&[consecutive], near, &[gathered], far)[0]
            }
        };
        self.keep_order_at(load);
        self.define_vector(load, value);
        Ok(())
    }

    /// A store.
    pub(super) fn store(&mut self, store: Value) -> Result<(), Refusal> {
        let (value, address) = (store.operand(0), store.operand(1));
        if self.joins_others(store) {
            return Ok(());
        }
        if self.divergence.shape(address).is_uniform() {
            let last = match self.divergence.shape(value).is_uniform() {
                true => self.scalar(value),
                // All lanes write to one location: the last active lane's value stays.
                false => {
                    self.widened(value.ty())
                        .map_err(|what| Refusal::at(self.context, store, &what))?;
                    let vector = self.vector(value);
                    let lane = self.last_lane();
                    self.extract_lane(vector, lane)
                }
            };
            let address = self.scalar(address);
            let copy = self.builder.copy_of(store);
            copy.set_operand(0, last);
            copy.set_operand(1, address);
            return Ok(());
        }
        if store.is_atomic() || !context_fields::is_element(value.ty()) {
            return self.lane_by_lane(store, false);
        }
        self.keep_order_at(store);
        let vector = self.vector(value);
        let alignment = store.alignment();
        if let Some(rows) = self.row_runs(address, value.ty()) {
            self.store_rows_or_scatter(address, vector, &rows, alignment);
            self.keep_order_at(store);
            return Ok(());
        }
        match self.access_pattern(address, value.ty(), false) {
            AccessPattern::Runs(runs) => self.store_runs(vector, runs, alignment),
            AccessPattern::GatherScatter => match self.fixed_distances(address) {
                Some(distances) => {
                    let start = self.scalar(address);
                    let start = self.flat(start);
                    self.store_one_by_one(vector, start, distances, alignment);
                }
                None => {
                    let pointers = self.flat_vector(address);
                    self.scatter(vector, pointers, alignment);
                }
            },
            AccessPattern::RunsIf(test, runs) => {
                let (near, far, done) = self.fork(test.holds);
                self.builder.move_to_end(near);
                self.store_runs(vector, runs, alignment);
                self.builder.jump(done);
                self.builder.move_to_end(far);
                let pointers =
                    self.on_side_path(|vectoriser| vectoriser.rematerialise_pointers(address));
                self.scatter(vector, pointers, alignment);
                self.builder.jump(done);
                self.builder.move_to_end(done);
            }
        }
        self.keep_order_at(store);
        Ok(())
    }

    /// A load of lanes in rows.
    fn load_rows_or_gather(
        &mut self,
        address: Value,
        ty: Type,
        rows: &RowRuns,
        alignment: u64,
    ) -> Value {
        let (near, far, done) = self.fork(rows.holds);
        self.builder.move_to_end(near);
        let loaded = self.load_rows(rows, ty, alignment);
        self.builder.jump(done);
        self.builder.move_to_end(far);
        let pointers = self.on_side_path(|it| it.rematerialise_pointers(address));
        let gathered = self.gather(ty.vector(self.width), pointers, alignment);
        self.builder.jump(done);
        self.builder.move_to_end(done);
        self.merge_paths(&[loaded], near, &[gathered], far)[0]
    }

    /// A store of lanes in rows.
    fn store_rows_or_scatter(
        &mut self,
        address: Value,
        vector: Value,
        rows: &RowRuns,
        alignment: u64,
    ) {
        let (near, far, done) = self.fork(rows.holds);
        self.builder.move_to_end(near);
        self.store_rows(vector, rows, alignment);
        self.builder.jump(done);
        self.builder.move_to_end(far);
        let pointers = self.on_side_path(|it| it.rematerialise_pointers(address));
        self.scatter(vector, pointers, alignment);
        self.builder.jump(done);
        self.builder.move_to_end(done);
    }

    /// A fence for the compiler, if an access is volatile: it moves no access over it, and repeats or drops none.
    fn keep_order_at(&self, access: Value) {
        /// The scope of one thread, of which fences become no instruction.
        const THREAD: u32 = 0;
        if access.is_volatile() {
            let order = LLVMAtomicOrderingSequentiallyConsistent;
            self.builder.fence(order, THREAD);
        }
    }

    /// The active lanes' elements from `start` on; `address` is the kernel's address, for the prefetch.
    pub(super) fn load_unit_stride(
        &mut self,
        address: Value,
        ty: Type,
        start: Value,
        alignment: u64,
    ) -> Value {
        self.prefetch_ahead(address, start, self.layout.alloc_size(ty));
        self.masked_load(ty, start, self.mask, alignment)
    }

    /// The elements from `start` on in the lanes of a mask.
    pub(super) fn masked_load(&self, ty: Type, start: Value, mask: Value, alignment: u64) -> Value {
        let function = self.module.intrinsic("llvm.masked.load", &[ty, start.ty()]);
        let nothing = Value::poison(ty);
        let call = self
            .builder
            .call_function(function, &[start, mask, nothing]);
        call.align_argument(self.context, 0, alignment);
        call
    }

    /// Stores the elements of the lanes of a mask from `start` on.
    pub(super) fn masked_store(&self, vector: Value, start: Value, mask: Value, alignment: u64) {
        let types = [vector.ty(), start.ty()];
        let function = self.module.intrinsic("llvm.masked.store", &types);
        let call = self.builder.call_function(function, &[vector, start, mask]);
        call.align_argument(self.context, 1, alignment);
    }

    /// The elements that the active lanes' pointers lead to.
    pub(super) fn gather(&self, ty: Type, pointers: Value, alignment: u64) -> Value {
        let types = [ty, pointers.ty()];
        let function = self.module.intrinsic("llvm.masked.gather", &types);
        let nothing = Value::poison(ty);
        let call = self
            .builder
            .call_function(function, &[pointers, self.mask, nothing]);
        call.align_argument(self.context, 0, alignment);
        call
    }

    /// Stores the active lanes' elements where their pointers lead to.
    pub(super) fn scatter(&self, vector: Value, pointers: Value, alignment: u64) {
        let types = [vector.ty(), pointers.ty()];
        let function = self.module.intrinsic("llvm.masked.scatter", &types);
        let call = self
            .builder
            .call_function(function, &[vector, pointers, self.mask]);
        call.align_argument(self.context, 1, alignment);
    }
}
