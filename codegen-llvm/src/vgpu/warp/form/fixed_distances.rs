//! Elements at distances from lane 0's that are known when the code is written, but are not consecutive.
//!
//! Without AVX-512, LLVM makes gathers and scatters of single accesses, and each takes its address out of a vector.
//! Here the address is lane 0's and a constant. In a kernel with many of them, the others become calls (`lane_access`).

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::shape::Shape;

/// Most accesses of a kernel that are written one by one, as many as `lane_access` leaves in place.
const MOST: u32 = 16;

impl Vectoriser<'_> {
    /// The distances in bytes of the lanes' elements at `address` from lane 0's, if accesses one by one are best.
    pub(super) fn fixed_distances(&mut self, address: Value) -> Option<Vec<i64>> {
        let shape = self.divergence.shape(address);
        let single = !self.has_vpermi2d && self.is_every_lane_active() && shape != Shape::Varying;
        if !single || self.one_by_one == MOST {
            return None;
        }
        self.one_by_one += 1;
        let lanes = 0..i64::from(self.width);
        Some(lanes.map(|lane| shape.step(lane)).collect())
    }

    /// Loads the elements, of type `ty`, one by one.
    pub(super) fn load_one_by_one(
        &mut self,
        address: Value,
        ty: Type,
        distances: &[i64],
        alignment: u64,
    ) -> Value {
        let start = self.scalar(address);
        let start = self.flat(start);
        let nothing = Value::poison(ty.vector(self.width));
        let lanes = distances.iter().zip(0..);
        lanes.fold(nothing, |vector, (&distance, lane)| {
            let element = self.builder.load(ty, self.offset_by(start, distance));
            element.set_alignment(alignment as u32);
            let lane = Value::int(Type::int(self.context, 32), lane);
            self.builder.insert_element(vector, element, lane)
        })
    }

    /// Stores the elements one by one, at distances from lane 0's, so that the last lane's stays where several lanes
    /// have one address.
    pub(super) fn store_one_by_one(
        &self,
        vector: Value,
        start: Value,
        distances: impl IntoIterator<Item = i64>,
        alignment: u64,
    ) {
        for (distance, lane) in distances.into_iter().zip(0..) {
            let lane = Value::int(Type::int(self.context, 32), lane);
            let element = self.builder.extract(vector, lane);
            let store = self.builder.store(element, self.offset_by(start, distance));
            store.set_alignment(alignment as u32);
        }
    }
}
