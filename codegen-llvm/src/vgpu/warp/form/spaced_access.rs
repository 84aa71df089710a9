//! Spaced elements: two to four elements lie from one lane's element to the next one's, as in an array of points or of
//! complex numbers.
//!
//! What lies between two lanes' elements lies in their cache lines. So whole vectors are loaded, and shuffles choose.
//! Vectors are stored with a mask, so that nothing is written in between, or, where a block stores all elements up to
//! the next lane's, as they are. A gather or scatter would access memory once for each lane.

use super::runs::Runs;
use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};

/// The most elements from one lane's to the next one's.
pub(super) const MOST_APART: i64 = 4;

/// Bytes of the vectors that are loaded, stored and shuffled.
const VECTOR: u64 = 64;

/// The largest elements, in bytes, that are stored with masks: a vector has so few larger ones that single stores are
/// faster.
const MOST_MASKED: u64 = 4;

/// As many consecutive lanes as a vector has elements: their elements lie in consecutive vectors of memory.
struct LaneGroup {
    /// Where its first vector begins.
    start: Value,
    /// How many groups lie before it.
    number: u64,
}

/// How spaced elements are cut into vectors.
#[derive(Clone, Copy)]
struct Cut {
    /// Elements of a vector.
    lanes: u64,
    /// Elements from one lane's to the next one's.
    apart: u64,
    /// Elements from the first accessed one to the last, from the start on.
    used: (u64, u64),
}

impl Cut {
    /// The elements of a vector that may be accessed.
    fn range(self, vector: u64) -> std::ops::Range<u64> {
        let first = vector * self.lanes;
        let inside = |element: u64| element.saturating_sub(first).min(self.lanes);
        inside(self.used.0)..inside(self.used.1 + 1)
    }
}

impl Vectoriser<'_> {
    /// The elements of every lane at some places, counted in elements from the runs' start on, all before the next
    /// lane's.
    pub(super) fn load_spaced(
        &mut self,
        address: Value,
        ty: Type,
        runs: Runs,
        places: &[u64],
        alignment: u64,
    ) -> Vec<Value> {
        let cut = self.cut(ty, runs, places);
        let bytes = self.layout.alloc_size(ty) * u64::from(self.width) * cut.apart;
        self.prefetch_ahead(address, runs.start(), bytes);
        let groups: Vec<Vec<Value>> = self
            .groups(ty, runs, cut)
            .map(|group| {
                let numbers = 0..cut.apart;
                let load = |number| self.load_vector(&group, number, ty, cut, alignment);
                let vectors: Vec<_> = numbers.map(load).collect();
                let places = places.iter();
                let choose = |&place| self.choose(&vectors, place, cut);
                places.map(choose).collect()
            })
            .collect();
        let whole = |at: usize| self.concatenate(groups.iter().map(|it| it[at]).collect());
        (0..places.len()).map(whole).collect()
    }

    /// Stores every lane's element.
    pub(super) fn store_spaced(&self, vector: Value, runs: Runs, alignment: u64) {
        let ty = vector.ty().element(0);
        if self.layout.alloc_size(ty) > MOST_MASKED {
            let distance = i64::from(runs.apart()) * self.layout.alloc_size(ty) as i64;
            let distances = (0..i64::from(self.width)).map(|lane| lane * distance);
            return self.store_one_by_one(vector, runs.start(), distances, alignment);
        }
        let cut = self.cut(ty, runs, &[0]);
        for group in self.groups(ty, runs, cut) {
            for number in 0..cut.apart {
                let start = self.vector_start(&group, number, ty, cut);
                let place = |at: u64| number * cut.lanes + at;
                let lane = |at: u64| group.number * cut.lanes + place(at) / cut.apart;
                let spread = self
                    .builder
                    .shuffle_both(vector, vector, (0..cut.lanes).map(lane));
                let is_lane = |at: u64| place(at).is_multiple_of(cut.apart);
                self.masked_store(
                    spread,
                    start,
                    self.bits_where(cut.lanes, is_lane),
                    alignment,
                );
            }
        }
    }

    /// Stores every lane's elements: a vector for each place up to the next lane's.
    pub(super) fn store_dense(&self, vectors: &[Value], runs: Runs, alignment: u64) {
        let ty = vectors[0].ty().element(0);
        let cut = self.cut(ty, runs, &[0]);
        for group in self.groups(ty, runs, cut) {
            let first = group.number * cut.lanes;
            let lanes = first..first + cut.lanes;
            let parts: Vec<_> = vectors
                .iter()
                .map(|&vector| self.builder.shuffle_both(vector, vector, lanes.clone()))
                .collect();
            for number in 0..cut.apart {
                let start = self.vector_start(&group, number, ty, cut);
                let store = self.builder.store(self.weave(&parts, number, cut), start);
                store.set_alignment(alignment as u32);
            }
        }
    }

    /// Vector `number` of a group, from the elements of its lanes at each place.
    fn weave(&self, parts: &[Value], number: u64, cut: Cut) -> Value {
        let element = |at: u64| number * cut.lanes + at;
        let mut woven = parts[0];
        for (&next, place) in parts[1..].iter().zip(1..) {
            let which = (0..cut.lanes).map(|at| {
                let lane = element(at) / cut.apart;
                match element(at) % cut.apart {
                    here if here == place => cut.lanes + lane,
                    _ if place == 1 => lane,
                    _ => at,
                }
            });
            woven = self.builder.shuffle_both(woven, next, which);
        }
        woven
    }

    fn cut(&self, ty: Type, runs: Runs, places: &[u64]) -> Cut {
        let apart = u64::from(runs.apart());
        let last = places.iter().max().unwrap_or(&0);
        let lanes = VECTOR / self.layout.alloc_size(ty);
        Cut {
            lanes: lanes.min(self.width.into()),
            apart,
            used: (
                *places.iter().min().unwrap_or(&0),
                (u64::from(self.width) - 1) * apart + last,
            ),
        }
    }

    /// The elements of as many lanes at a time as a vector has elements.
    fn groups(&self, ty: Type, runs: Runs, cut: Cut) -> impl Iterator<Item = LaneGroup> {
        let size = self.layout.alloc_size(ty);
        (0..u64::from(self.width) / cut.lanes).map(move |number| {
            let bytes = number * cut.apart * cut.lanes * size;
            LaneGroup {
                start: self.offset_by(runs.start(), bytes as i64),
                number,
            }
        })
    }

    fn vector_start(&self, group: &LaneGroup, number: u64, ty: Type, cut: Cut) -> Value {
        let bytes = number * cut.lanes * self.layout.alloc_size(ty);
        self.offset_by(group.start, bytes as i64)
    }

    /// Loads a vector of a group, but for what lies before the first or behind the last accessed element.
    fn load_vector(
        &self,
        group: &LaneGroup,
        number: u64,
        ty: Type,
        cut: Cut,
        alignment: u64,
    ) -> Value {
        let start = self.vector_start(group, number, ty, cut);
        let range = cut.range(group.number * cut.apart + number);
        let ty = ty.vector(cut.lanes as u32);
        if range == (0..cut.lanes) {
            let load = self.builder.load(ty, start);
            load.set_alignment(alignment as u32);
            return load;
        }
        let mask = self.bits_where(cut.lanes, |at| range.contains(&at));
        self.masked_load(ty, start, mask, alignment)
    }

    /// The element at `place` of each lane of a group of lanes.
    fn choose(&self, vectors: &[Value], place: u64, cut: Cut) -> Value {
        let of_lane = |lane: u64| lane * cut.apart + place;
        let mut chosen = vectors[0];
        for (&next, number) in vectors[1..].iter().zip(1..) {
            let which = (0..cut.lanes).map(|lane| {
                let element = of_lane(lane);
                match element / cut.lanes {
                    here if here == number => cut.lanes + element % cut.lanes,
                    0 if number == 1 => element,
                    _ => lane,
                }
            });
            chosen = self.builder.shuffle_both(chosen, next, which);
        }
        chosen
    }

    /// A constant mask.
    fn bits_where(&self, lanes: u64, holds: impl Fn(u64) -> bool) -> Value {
        let bit = Type::int(self.context, 1);
        let bits = (0..lanes).map(|at| Value::int(bit, holds(at).into()));
        Value::vector(&bits.collect::<Vec<_>>())
    }
}
