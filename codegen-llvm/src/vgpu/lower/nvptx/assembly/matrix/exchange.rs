//! Values of other lanes.

use super::super::emitter::Emitter;

/// The number of the lane, and what fragments make of it.
pub struct Lane {
    /// `%laneid`
    pub number: String,
    /// `%laneid / 4`: the row or the column of a fragment's elements.
    pub group: String,
    /// `%laneid % 4`: the place in the group.
    pub place: String,
}

impl Lane {
    /// Reads it.
    pub fn new(emitter: &mut Emitter) -> Lane {
        let number = emitter.call("i32", "llvm.nvvm.read.ptx.sreg.laneid", &[]);
        let group = emitter.op(&format!("lshr i32 {number}, 2"));
        let place = emitter.op(&format!("and i32 {number}, 3"));
        Lane {
            number,
            group,
            place,
        }
    }
}

/// The value that a register of `bits` bits, 32 or 64, has in another lane.
pub fn from_lane(emitter: &mut Emitter, value: &str, bits: u32, lane: &str) -> String {
    if bits == 32 {
        return word_from_lane(emitter, value, lane);
    }
    let low = emitter.resize(value, 64, 32, false);
    let high = emitter.op(&format!("lshr i64 {value}, 32"));
    let high = emitter.resize(&high, 64, 32, false);
    let low = word_from_lane(emitter, &low, lane);
    let high = word_from_lane(emitter, &high, lane);
    let low = emitter.resize(&low, 32, 64, false);
    let high = emitter.resize(&high, 32, 64, false);
    let high = emitter.op(&format!("shl i64 {high}, 32"));
    emitter.op(&format!("or disjoint i64 {low}, {high}"))
}

fn word_from_lane(emitter: &mut Emitter, value: &str, lane: &str) -> String {
    let words = ["-1", value, lane, "31"].map(|word| ("i32".to_owned(), word.to_owned()));
    emitter.call("i32", "llvm.nvvm.shfl.sync.idx.i32", &words)
}
