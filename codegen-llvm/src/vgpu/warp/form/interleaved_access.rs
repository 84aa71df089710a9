//! Loads of consecutive elements of which each lane has its own: fields of structures in an array, rows of a matrix of which each
//! thread has one, in loops that were unrolled. Here, a *record*.
//!
//! A gather loads an element for every lane, and costs a load for each. Of a record, every lane loads 16 bytes at once, and shuffles turn lanes of elements into
//! elements of lanes: a transposition that stays within 16-byte parts of vectors, which CPUs shuffle fastest.

use llvm_sys::LLVMIntPredicate;

use super::Vectoriser;
use super::lane_serialisation::ignores_memory;
use super::memory::AccessPattern;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::affine_address::AffineAddress;
use crate::vgpu::warp::analysis::context_fields;
use crate::vgpu::warp::analysis::shape::Shape;

/// Bytes that a lane loads at once.
const PART: u64 = 16;

/// Bytes of a vector register.
const VECTOR: u64 = 64;

/// Bytes of an address.
const POINTER: i64 = 8;

/// How many instructions after a load others of its record are looked for.
const REACH: usize = 256;

/// Loads of a block that may be done where the first one stands.
pub(super) struct InterleaveGroup {
    /// The element's type.
    ty: Type,
    first: Value,
    parts: Vec<Part>,
    /// What all are aligned to.
    alignment: u64,
    /// Whether elements are so far apart from lane to lane that nothing need ask whether they are rows.
    spread: bool,
}

/// Loads of consecutive elements: of two or four, or of the first three of four.
struct Part {
    /// Bytes from the first load's address to the first element.
    start: i64,
    loads: Vec<Value>,
}

/// Where each lane's elements are.
enum Lanes {
    /// Lane 0's address, and bytes from lane to lane.
    Strided(Value, i64),
    /// Where the addresses are.
    Varying(Value),
}

impl InterleaveGroup {
    /// The loads, and how far from the first's address their elements are.
    fn loads(&self, size: u64) -> impl Iterator<Item = (Value, i64)> {
        self.parts.iter().flat_map(move |part| {
            let offsets = (0..).map(move |at| part.start + at * size as i64);
            part.loads.iter().copied().zip(offsets)
        })
    }
}

impl Vectoriser<'_> {
    /// The record that the first of a block's remaining instructions loads from, if it is such a load.
    pub(super) fn interleave_group(&self, instructions: &[Value]) -> Option<InterleaveGroup> {
        let first = *instructions.first()?;
        let ty = first.ty();
        if !self.is_scattered_load(first) || self.vectors.contains_key(&first) {
            return None;
        }
        let size = self.layout.alloc_size(ty);
        let place = AffineAddress::of(self.layout, first.operand(0));
        let near = instructions.iter().take(REACH);
        let free = near.take_while(|&&it| self.is_own_load(it) || ignores_memory(it));
        let mut found: Vec<(i64, Value)> = free
            .filter(|&&it| it.ty() == ty && self.is_scattered_load(it))
            .filter(|it| !self.vectors.contains_key(it))
            .filter_map(|&it| {
                Some((
                    place.bytes_to(&AffineAddress::of(self.layout, it.operand(0)))?,
                    it,
                ))
            })
            .collect();
        found.sort_by_key(|(offset, _)| *offset);
        found.dedup_by_key(|(offset, _)| *offset);
        let parts = parts(&found, size as i64);
        let alignments = parts.iter().flat_map(|part| &part.loads);
        let alignment = alignments.map(|load| load.alignment()).min()?;
        let differs = |value| !self.divergence.shape(value).is_uniform();
        let has_first = parts.iter().any(|part| part.loads.contains(&first));
        has_first.then_some(InterleaveGroup {
            ty,
            first,
            parts,
            alignment,
            spread: place.is_spread(size as i64, differs),
        })
    }

    /// A load of an element of each lane's own; as far as the compiler knows, they are no row.
    fn is_scattered_load(&self, instruction: Value) -> bool {
        let is_element = |ty: Type| {
            context_fields::is_element(ty) && matches!(self.layout.alloc_size(ty), 4 | 8)
        };
        if !self.is_own_load(instruction) || !is_element(instruction.ty()) {
            return false;
        }
        let size = self.layout.alloc_size(instruction.ty());
        match self.divergence.shape(instruction.operand(0)) {
            Shape::Uniform => false,
            Shape::Strided { stride, .. } => stride != size as i64,
            Shape::Varying => true,
        }
    }

    /// All of them.
    pub(super) fn load_interleaved(&mut self, group: &InterleaveGroup) {
        let address = group.first.operand(0);
        let size = self.layout.alloc_size(group.ty);
        let row = group.ty.vector(self.width);
        let pattern = match group.spread {
            true => AccessPattern::GatherScatter,
            false => self.access_pattern(address, group.ty),
        };
        let values = match pattern {
            AccessPattern::UnitStride(_) => unreachable!("not of rows"),
            AccessPattern::GatherScatter => self.columns(group),
            AccessPattern::UnitStrideIf(test, start) => {
                let (near, far, done) = self.fork(test.holds);
                self.builder.move_to_end(near);
                let rows: Vec<_> = group
                    .loads(size)
                    .map(|(_, offset)| {
                        let start = self.bytes_behind(start, offset);
                        self.load_unit_stride(address, row, start, group.alignment)
                    })
                    .collect();
                let near = self.builder.block();
                self.builder.jump(done);
                self.builder.move_to_end(far);
                let columns = self.on_side_path(|vectoriser| vectoriser.columns(group));
                let far = self.builder.block();
                self.builder.jump(done);
                self.builder.move_to_end(done);
                self.merge_paths(&rows, near, &columns, far)
            }
        };
        for ((load, _), value) in group.loads(size).zip(values) {
            self.define_vector(load, value);
        }
    }

    /// All of them, not as rows: in parts, if all lanes are active.
    fn columns(&mut self, group: &InterleaveGroup) -> Vec<Value> {
        let size = self.layout.alloc_size(group.ty);
        let ty = group.ty.vector(self.width);
        let bits = self.mask_bits();
        let every = Value::int(bits.ty(), u64::MAX);
        let full = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntEQ, bits, every);
        let address = group.first.operand(0);
        let base = match self.divergence.shape(address) {
            Shape::Strided { stride, .. } => Some((self.scalar(address), stride)),
            _ => None,
        };
        let (near, far, done) = self.fork(full);
        self.builder.move_to_end(near);
        let lanes = match base {
            Some((base, stride)) => Lanes::Strided(self.flat(base), stride),
            None => Lanes::Varying(self.in_memory(address)),
        };
        let columns = self.transposed(group, &lanes);
        let near = self.builder.block();
        self.builder.jump(done);
        self.builder.move_to_end(far);
        let pointers = self.on_side_path(|vectoriser| vectoriser.rematerialise_pointers(address));
        let gathered: Vec<_> = group
            .loads(size)
            .map(|(_, offset)| {
                let pointers = self.bytes_behind(pointers, offset);
                self.gather(ty, pointers, group.alignment)
            })
            .collect();
        let far = self.builder.block();
        self.builder.jump(done);
        self.builder.move_to_end(done);
        self.merge_paths(&columns, near, &gathered, far)
    }

    /// The lanes' addresses, in the flat address space, one after the other.
    fn in_memory(&mut self, address: Value) -> Value {
        let pointers = self.on_side_path(|vectoriser| vectoriser.rematerialise_pointers(address));
        let slot = self.lane_slot(pointers.ty(), &[]);
        self.builder.store(pointers, slot).set_volatile();
        slot
    }

    /// A lane's address. Volatile: LLVM would take addresses out of vectors, where shuffles are in the way of shuffles.
    fn lane_address(&self, lanes: &Lanes, lane: u32) -> Value {
        match *lanes {
            Lanes::Strided(base, stride) => self.bytes_behind(base, i64::from(lane) * stride),
            Lanes::Varying(slot) => {
                let pointer = Type::pointer(self.context);
                let place = self.bytes_behind(slot, i64::from(lane) * POINTER);
                let address = self.builder.load(pointer, place);
                address.set_volatile();
                address
            }
        }
    }

    /// The elements, a vector for each: as many lanes at a time as a vector register of 64 bytes has.
    fn transposed(&self, group: &InterleaveGroup, lanes: &Lanes) -> Vec<Value> {
        let size = self.layout.alloc_size(group.ty);
        let some = self.width.min((VECTOR / size) as u32);
        let pieces = (0..self.width).step_by(some as usize);
        let pieces: Vec<Vec<Value>> = pieces
            .map(|first| {
                let loaded = self.parts_of(group, lanes, first..first + some);
                let parts = group.parts.iter().zip(&loaded);
                parts
                    .flat_map(|(part, loaded)| self.columns_of(loaded, part.loads.len(), some))
                    .collect()
            })
            .collect();
        let whole =
            |column: usize| self.joined(pieces.iter().map(|columns| columns[column]).collect());
        (0..pieces[0].len()).map(whole).collect()
    }

    /// Each part, of each of some lanes.
    fn parts_of(
        &self,
        group: &InterleaveGroup,
        lanes: &Lanes,
        which: std::ops::Range<u32>,
    ) -> Vec<Vec<Value>> {
        let mut loaded = vec![Vec::new(); group.parts.len()];
        for lane in which {
            let address = self.lane_address(lanes, lane);
            for (part, loaded) in group.parts.iter().zip(&mut loaded) {
                loaded.push(self.load_part(part, address, group));
            }
        }
        loaded
    }

    /// The first `columns` elements of a part, a vector for each, of a part for each of `lanes` lanes.
    fn columns_of(&self, part: &[Value], columns: usize, lanes: u32) -> Vec<Value> {
        let count = part[0].ty().length() as usize;
        // Every `count`th lane's part, one after the other: in each vector, 16 bytes are of one lane.
        let vectors = (0..count).map(|first| {
            let loaded = part.iter().copied().skip(first).step_by(count);
            self.joined(loaded.collect())
        });
        let vectors: Vec<_> = vectors.collect();
        let mix = |first, second, which: &[u64]| self.mixed(first, second, lanes.into(), which);
        // Elements of two vectors change places, then, of four, pairs.
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
            _ => unreachable!("two or four elements in {PART} bytes"),
        };
        made.truncate(columns);
        made
    }

    /// One lane's part.
    fn load_part(&self, part: &Part, lane: Value, group: &InterleaveGroup) -> Value {
        let count = PART / self.layout.alloc_size(group.ty);
        let ty = group.ty.vector(count as u32);
        let start = self.bytes_behind(lane, part.start);
        if part.loads.len() == count as usize {
            let load = self.builder.load(ty, start);
            load.set_alignment(group.alignment as u32);
            return load;
        }
        let bit = Type::int(self.context, 1);
        let wanted = (0..count).map(|at| Value::int(bit, (at < part.loads.len() as u64).into()));
        let wanted = Value::vector(&wanted.collect::<Vec<_>>());
        let function = self.module.intrinsic("llvm.masked.load", &[ty, start.ty()]);
        let arguments = [start, wanted, Value::poison(ty)];
        let call = self.builder.call_function(function, &arguments);
        call.align_argument(self.context, 0, group.alignment);
        call
    }

    /// Vectors of one type, a power of two of them, one behind the other.
    fn joined(&self, mut vectors: Vec<Value>) -> Value {
        while vectors.len() > 1 {
            let length = 2 * u64::from(vectors[0].ty().length());
            let pairs = vectors.chunks_exact(2);
            vectors = pairs
                .map(|pair| self.builder.shuffle_both(pair[0], pair[1], 0..length))
                .collect();
        }
        vectors[0]
    }

    /// Two vectors of `length` elements, in pieces of as many as `which` has: from each piece and, counted on, that of the other vector, elements
    /// `which`.
    fn mixed(&self, first: Value, second: Value, length: u64, which: &[u64]) -> Value {
        let piece = which.len() as u64;
        let elements = (0..length).step_by(which.len()).flat_map(|start| {
            which.iter().map(move |&at| match at < piece {
                true => start + at,
                false => length + start + at - piece,
            })
        });
        self.builder.shuffle_both(first, second, elements)
    }

    /// The address or addresses a number of bytes further on.
    fn bytes_behind(&self, pointer: Value, bytes: i64) -> Value {
        let int = Type::int(self.context, 64);
        self.builder
            .byte_offset(pointer, Value::int(int, bytes as u64))
    }
}

/// Loads of elements of `size` bytes, by their places, in parts; those that no part takes are left out.
fn parts(loads: &[(i64, Value)], size: i64) -> Vec<Part> {
    let count = PART as usize / size as usize;
    let mut rest = loads;
    let mut parts = Vec::new();
    while let Some(&(start, _)) = rest.first() {
        let offsets = (0..count as i64).map(|at| start + at * size);
        let run = rest.iter().zip(offsets);
        let run = run.take_while(|((offset, _), at)| offset == at).count();
        let enough = run == count || run == 3;
        let (taken, left) = rest.split_at(if enough { run } else { 1 });
        if enough {
            let loads = taken.iter().map(|(_, load)| *load).collect();
            parts.push(Part { start, loads });
        }
        rest = left;
    }
    parts
}
