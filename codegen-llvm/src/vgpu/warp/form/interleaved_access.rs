//! Interleaved loads: each lane loads consecutive elements of its own, such as the fields of a structure in an array,
//! or, in unrolled loops, parts of a matrix row per thread.
//!
//! A gather costs a load per lane and element. For an interleave group, each lane loads 16 bytes at once instead, and
//! shuffles transpose them: a vector per lane becomes a vector per element. The transposition stays within 16-byte
//! segments of vectors, which CPUs shuffle fastest.

use std::collections::HashMap;

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::access_pattern::AccessPattern;
use super::lane_serialisation::ignores_memory;
use super::runs::Runs;
use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::affine_address::AffineAddress;
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::shape::Shape;

/// Bytes of a segment, which a lane loads at once.
const SEGMENT: u64 = 16;

/// Bytes of a vector register.
const VECTOR: u64 = 64;

/// Bytes of an address.
const POINTER: i64 = 8;

/// How many instructions after a load or a store are searched for others of its group.
pub(super) const REACH: usize = 256;

/// Loads of a block that can all be done where the first one is.
pub(super) struct InterleaveGroup {
    /// The element's type.
    ty: Type,
    first: Value,
    segments: Vec<Segment>,
    /// The alignment of all of them.
    alignment: u64,
    /// Whether elements lie so far apart from lane to lane that a test for unit stride would be wasted.
    is_spread: bool,
}

/// Loads of consecutive elements in 16 bytes: of all of them, of the first two or three of four, or, of spaced elements
/// (`spaced_access`), of the first ones.
struct Segment {
    /// Bytes from the first load's address to the first element.
    start: i64,
    loads: Vec<Value>,
}

/// The lanes' addresses.
enum Lanes {
    /// Lane 0's address, and the bytes from lane to lane.
    Strided(Value, i64),
    /// The stack slot that holds them.
    Varying(Value),
}

impl InterleaveGroup {
    /// The loads, and how many bytes behind the first load's address their elements are.
    fn loads(&self, size: u64) -> impl Iterator<Item = (Value, i64)> {
        self.segments.iter().flat_map(move |segment| {
            let offsets = (0..).map(move |at| segment.start + at * size as i64);
            segment.loads.iter().copied().zip(offsets)
        })
    }
}

impl Vectoriser<'_> {
    /// The group that begins with the first of a block's remaining instructions, if that is a load of one.
    pub(super) fn interleave_group(&self, instructions: &[Value]) -> Option<InterleaveGroup> {
        let first = *instructions.first()?;
        let ty = first.ty();
        if !self.is_strided_load(first) || self.vectors.contains_key(&first) {
            return None;
        }
        let size = self.layout.alloc_size(ty);
        let address = AffineAddress::of(self.layout, first.operand(0));
        let near = instructions.iter().take(REACH);
        let free = near.take_while(|&&it| self.is_plain_load(it) || ignores_memory(it));
        let mut found: Vec<(i64, Value)> = free
            .filter(|&&it| it.ty() == ty && self.is_strided_load(it))
            .filter(|it| !self.vectors.contains_key(it))
            .filter_map(|&it| {
                let other = AffineAddress::of(self.layout, it.operand(0));
                Some((address.bytes_to(&other)?, it))
            })
            .collect();
        found.sort_by_key(|(offset, _)| *offset);
        found.dedup_by_key(|(offset, _)| *offset);
        let is_spaced = self.spacing(first.operand(0), size).is_some();
        let least = if is_spaced { 1 } else { 2 };
        let segments = segments(&found, size as i64, least);
        let alignments = segments.iter().flat_map(|segment| &segment.loads);
        let alignment = alignments.map(|load| load.alignment()).min()?;
        let differs = |value| !self.divergence.shape(value).is_uniform();
        let mut loads = segments.iter().flat_map(|segment| &segment.loads);
        (loads.clone().nth(1).is_some() && loads.any(|load| *load == first)).then_some(
            InterleaveGroup {
                ty,
                first,
                segments,
                alignment,
                is_spread: !is_spaced && address.is_spread(size as i64, differs),
            },
        )
    }

    /// Whether an instruction loads an element per lane that, as far as the compiler knows, is not at unit stride.
    fn is_strided_load(&self, instruction: Value) -> bool {
        if !self.is_plain_load(instruction) || !context_fields::is_element(instruction.ty()) {
            return false;
        }
        let address = instruction.operand(0);
        let size = self.layout.alloc_size(instruction.ty());
        // Smaller elements are not transposed.
        if size < 4 && self.spacing(address, size).is_none() {
            return false;
        }
        let shape = self.divergence.shape(address);
        let runs = self.run_shape(shape, size as i64, true);
        !shape.is_uniform() && runs.is_none_or(|runs| runs.apart > 1)
    }

    /// Writes all loads of a group.
    pub(super) fn load_interleaved(&mut self, group: &InterleaveGroup) {
        let address = group.first.operand(0);
        let size = self.layout.alloc_size(group.ty);
        let pattern = match group.is_spread {
            true => AccessPattern::GatherScatter,
            false => self.access_pattern(address, group.ty, true),
        };
        let values = match pattern {
            AccessPattern::Runs(runs) => self.load_group(group, runs),
            AccessPattern::GatherScatter => self.deinterleave(group),
            AccessPattern::RunsIf(test, runs) => {
                let (near, far, done) = self.fork(test.holds);
                self.builder.move_to_end(near);
                let consecutive = self.load_group(group, runs);
                let near = self.builder.block();
                self.builder.jump(done);
                self.builder.move_to_end(far);
                let deinterleaved = self.on_side_path(|vectoriser| match runs.apart() {
                    1 => vectoriser.deinterleave(group),
                    _ => vectoriser.gather_group(group),
                });
                let far = self.builder.block();
                self.builder.jump(done);
                self.builder.move_to_end(done);
                self.merge_paths(&consecutive, near, &deinterleaved, far)
            }
        };
        for ((load, _), value) in group.loads(size).zip(values) {
            self.define_vector(load, value);
        }
    }

    /// The values of a group whose first element lies in runs. Those of neighbouring elements share their vectors.
    fn load_group(&mut self, group: &InterleaveGroup, runs: Runs) -> Vec<Value> {
        let address = group.first.operand(0);
        let (ty, size) = (group.ty, self.layout.alloc_size(group.ty));
        let offsets: Vec<_> = group.loads(size).map(|(_, offset)| offset).collect();
        if runs.apart() == 1 {
            let load = |offset| {
                let runs = self.runs_behind(runs, offset);
                self.load_runs(address, ty, runs, group.alignment)
            };
            return offsets.into_iter().map(load).collect();
        }
        let lane = i64::from(runs.apart()) * size as i64;
        // Offsets of one key lie whole elements apart, before the next lane's.
        let key = |offset: i64| (offset.div_euclid(lane), offset.rem_euclid(size as i64));
        let mut values = HashMap::new();
        for &offset in &offsets {
            let (lanes, rest) = key(offset);
            if values.contains_key(&offset) {
                continue;
            }
            let start = lanes * lane + rest;
            let near: Vec<_> = { offsets.iter().copied() }
                .filter(|&other| key(other) == (lanes, rest))
                .collect();
            let place = |other: &i64| ((other - start) / size as i64) as u64;
            let places: Vec<_> = near.iter().map(place).collect();
            let runs = self.runs_behind(runs, start);
            let loaded = self.load_spaced(address, ty, runs, &places, group.alignment);
            values.extend(near.into_iter().zip(loaded));
        }
        offsets.iter().map(|offset| values[offset]).collect()
    }

    /// The values of a group that is not at unit stride: transposed segments if all lanes are active, else gathers.
    fn deinterleave(&mut self, group: &InterleaveGroup) -> Vec<Value> {
        let bits = self.mask_bits();
        let every = Value::int(bits.ty(), u64::MAX);
        let full = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntEQ, bits, every);
        let address = group.first.operand(0);
        let (strided, known) = self.strided_lanes(address);
        let usual = match known {
            Some(holds) => self.builder.binary(LLVMOpcode::LLVMAnd, full, holds),
            None => full,
        };
        let (near, far, done) = self.fork(usual);
        self.builder.move_to_end(near);
        let lanes = strided.unwrap_or_else(|| Lanes::Varying(self.spill_addresses(address)));
        let transposed = self.transpose_segments(group, &lanes);
        let near = self.builder.block();
        self.builder.jump(done);
        self.builder.move_to_end(far);
        let gathered = self.on_side_path(|vectoriser| vectoriser.gather_group(group));
        let far = self.builder.block();
        self.builder.jump(done);
        self.builder.move_to_end(done);
        self.merge_paths(&transposed, near, &gathered, far)
    }

    /// The lanes' addresses, if they have a stride, and the condition under which they have it.
    fn strided_lanes(&mut self, address: Value) -> (Option<Lanes>, Option<Value>) {
        if let Shape::Strided { stride, .. } = self.divergence.shape(address) {
            let base = self.scalar(address);
            return (Some(Lanes::Strided(self.flat(base), stride)), None);
        }
        match self.extended_stride(address) {
            Some((holds, base, stride)) => (Some(Lanes::Strided(base, stride)), Some(holds)),
            None => (None, None),
        }
    }

    /// The values of a group, of any addresses.
    fn gather_group(&mut self, group: &InterleaveGroup) -> Vec<Value> {
        let (ty, size) = (
            group.ty.vector(self.width),
            self.layout.alloc_size(group.ty),
        );
        let pointers = self.rematerialise_pointers(group.first.operand(0));
        let gather = |(_, offset)| {
            let pointers = self.offset_by(pointers, offset);
            self.gather(ty, pointers, group.alignment)
        };
        group.loads(size).map(gather).collect()
    }

    /// Stores the lanes' addresses, in the flat address space, to a slot.
    fn spill_addresses(&mut self, address: Value) -> Value {
        let pointers = self.on_side_path(|vectoriser| vectoriser.rematerialise_pointers(address));
        let slot = self.lane_slot(pointers.ty(), &[]);
        self.builder.store(pointers, slot).set_volatile();
        slot
    }

    /// One lane's address. Volatile accesses: otherwise LLVM would extract the addresses from vectors, and these
    /// shuffles would compete with those of the transposition.
    fn lane_address(&self, lanes: &Lanes, lane: u32) -> Value {
        match *lanes {
            Lanes::Strided(base, stride) => self.offset_by(base, i64::from(lane) * stride),
            Lanes::Varying(slot) => {
                let pointer = Type::pointer(self.context);
                let element = self.offset_by(slot, i64::from(lane) * POINTER);
                let address = self.builder.load(pointer, element);
                address.set_volatile();
                address
            }
        }
    }

    /// The elements, a vector for each. As many lanes at a time as a vector register has elements.
    fn transpose_segments(&self, group: &InterleaveGroup, lanes: &Lanes) -> Vec<Value> {
        let size = self.layout.alloc_size(group.ty);
        let some = self.width.min((VECTOR / size) as u32);
        let pieces = (0..self.width).step_by(some as usize);
        let pieces: Vec<Vec<Value>> = pieces
            .map(|first| {
                let loaded = self.load_segments(group, lanes, first..first + some);
                let segments = group.segments.iter().zip(&loaded);
                segments
                    .flat_map(|(segment, loaded)| self.transpose(loaded, segment.loads.len(), some))
                    .collect()
            })
            .collect();
        let whole = |element: usize| {
            self.concatenate(pieces.iter().map(|elements| elements[element]).collect())
        };
        (0..pieces[0].len()).map(whole).collect()
    }

    /// Loads each segment of some lanes.
    fn load_segments(
        &self,
        group: &InterleaveGroup,
        lanes: &Lanes,
        which: std::ops::Range<u32>,
    ) -> Vec<Vec<Value>> {
        let mut loaded = vec![Vec::new(); group.segments.len()];
        for lane in which {
            let address = self.lane_address(lanes, lane);
            for (segment, loaded) in group.segments.iter().zip(&mut loaded) {
                loaded.push(self.load_segment(segment, address, group));
            }
        }
        loaded
    }

    /// The first `count` elements of a segment, a vector for each. `loaded` has the segment of each of `lanes` lanes.
    fn transpose(&self, loaded: &[Value], count: usize, lanes: u32) -> Vec<Value> {
        let length = loaded[0].ty().length() as usize;
        // The segments of every `length`th lane, one after the other: in each vector, 16 bytes belong to one lane.
        let vectors = (0..length).map(|first| {
            let every = loaded.iter().copied().skip(first).step_by(length);
            self.concatenate(every.collect())
        });
        let vectors: Vec<_> = vectors.collect();
        let mix = |first, second, which: &[u64]| {
            self.interleave_pieces(first, second, lanes.into(), which)
        };
        // Two vectors exchange elements; then, of four vectors, pairs of elements.
        let mut made = match vectors[..] {
            [a, b] => vec![mix(a, b, &[0, 2]), mix(a, b, &[1, 3])],
            [a, b, c, d] => {
                let (low, high) = ([0, 4, 1, 5], [2, 6, 3, 7]);
                let ab = [mix(a, b, &low), mix(a, b, &high)];
                let cd = [mix(c, d, &low), mix(c, d, &high)];
                let pairs = |at: usize| {
                    let mix = |which: &[u64]| mix(ab[at], cd[at], which);
                    [mix(&[0, 1, 4, 5]), mix(&[2, 3, 6, 7])]
                };
                [pairs(0), pairs(1)].concat()
            }
            _ => unreachable!("two or four elements in {SEGMENT} bytes"),
        };
        made.truncate(count);
        made
    }

    /// Loads one lane's segment.
    fn load_segment(&self, segment: &Segment, lane: Value, group: &InterleaveGroup) -> Value {
        let count = SEGMENT / self.layout.alloc_size(group.ty);
        let ty = group.ty.vector(count as u32);
        let start = self.offset_by(lane, segment.start);
        if segment.loads.len() == count as usize {
            let load = self.builder.load(ty, start);
            load.set_alignment(group.alignment as u32);
            return load;
        }
        let bit = Type::int(self.context, 1);
        let wanted = (0..count).map(|at| Value::int(bit, (at < segment.loads.len() as u64).into()));
        let wanted = Value::vector(&wanted.collect::<Vec<_>>());
        let function = self.module.intrinsic("llvm.masked.load", &[ty, start.ty()]);
        let arguments = [start, wanted, Value::poison(ty)];
        let call = self.builder.call_function(function, &arguments);
        call.align_argument(self.context, 0, group.alignment);
        call
    }

    /// Concatenates vectors of one type, a power of two of them.
    pub(super) fn concatenate(&self, mut vectors: Vec<Value>) -> Value {
        while vectors.len() > 1 {
            let length = 2 * u64::from(vectors[0].ty().length());
            let pairs = vectors.chunks_exact(2);
            vectors = pairs
                .map(|pair| self.builder.shuffle_both(pair[0], pair[1], 0..length))
                .collect();
        }
        vectors[0]
    }

    /// Combines two vectors of `length` elements, piece by piece. A piece has as many elements as `which`, and `which`
    /// selects among the elements of both vectors' pieces: numbers count through the first piece and on through the
    /// second.
    fn interleave_pieces(&self, first: Value, second: Value, length: u64, which: &[u64]) -> Value {
        let piece = which.len() as u64;
        let elements = (0..length).step_by(which.len()).flat_map(|start| {
            which.iter().map(move |&at| match at < piece {
                true => start + at,
                false => length + start + at - piece,
            })
        });
        self.builder.shuffle_both(first, second, elements)
    }
}

/// Loads of elements of `size` bytes as segments, by their offsets. A segment that is not whole has `least` loads or
/// more; loads that fit into no segment are left out.
fn segments(loads: &[(i64, Value)], size: i64, least: usize) -> Vec<Segment> {
    let count = SEGMENT as usize / size as usize;
    let mut rest = loads;
    let mut segments = Vec::new();
    while let Some(&(start, _)) = rest.first() {
        let offsets = (0..count as i64).map(|at| start + at * size);
        let run = rest.iter().zip(offsets);
        let run = run.take_while(|((offset, _), at)| offset == at).count();
        let enough = run == count || run >= least;
        let (taken, left) = rest.split_at(if enough { run } else { 1 });
        if enough {
            let loads = taken.iter().map(|(_, load)| *load).collect();
            segments.push(Segment { start, loads });
        }
        rest = left;
    }
    segments
}
