//! The last accesses to each word of device memory.

use std::collections::HashMap;

use super::releases::Moment;

/// Bytes of a word.
pub const WORD: u64 = 4;

/// Bytes whose cells are made together.
const CHUNK: u64 = 64 << 10;

/// Chunks that are found without a look-up, one of those with equal remainders.
const RECENT: usize = 64;

fn slot(chunk: u64) -> usize {
    (chunk / CHUNK) as usize % RECENT
}

/// A past access: a moment, where in the code, and whether it was atomic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Block (32 bits), thread (10) and time (22). 0: no access.
    moment: u64,
    /// Index into the image's sites, and in the highest bit whether it was atomic.
    site: u32,
    /// A hash of what it wrote; 0 if that is not known.
    value: u32,
}

const ATOMIC: u32 = 1 << 31;

impl Past {
    /// An access.
    pub fn new(moment: Moment, site: u32, atomic: bool) -> Past {
        let Moment {
            block,
            thread,
            time,
        } = moment;
        Past {
            moment: u64::from(block) << 32 | u64::from(thread) << 22 | u64::from(time),
            site: site | if atomic { ATOMIC } else { 0 },
            value: 0,
        }
    }

    /// The access writes this value.
    pub fn writing(self, value: Option<u64>) -> Past {
        let hash = |value: u64| (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32 | 1;
        Past {
            value: value.map_or(0, hash),
            ..self
        }
    }

    /// Whether both write the same value. Such writes are races by the letter of the memory models, too, but harmless
    /// in practice; NVIDIA's racecheck does not warn of them either.
    pub fn writes_the_same(self, other: Past) -> bool {
        self.value != 0 && self.value == other.value
    }

    /// When it was, if there was one.
    pub fn moment(self) -> Option<Moment> {
        (self.moment != 0).then_some(Moment {
            block: (self.moment >> 32) as u32,
            thread: (self.moment >> 22 & 1023) as u16,
            time: self.moment as u32 & ((1 << 22) - 1),
        })
    }

    /// Index into the sites of its image.
    pub fn site(self) -> u32 {
        self.site & !ATOMIC
    }

    /// Whether it was atomic.
    pub fn is_atomic(self) -> bool {
        self.site & ATOMIC != 0
    }

    fn block(self) -> u64 {
        self.moment >> 32
    }

    fn thread(self) -> u64 {
        self.moment >> 22
    }
}

/// The last accesses to a word, or to a byte of one whose bytes are used apart.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    /// The last write.
    pub write: Past,
    /// The last reads of two threads, of two blocks if blocks differ.
    pub reads: [Past; 2],
    /// Whether the word's bytes have cells of their own.
    is_split: bool,
}

impl Cell {
    /// Notes a read.
    pub fn read(&mut self, read: Past) {
        let [last, other] = self.reads;
        if last.thread() == read.thread() {
            self.reads[0] = read;
            return;
        }
        // The other read stays if only it is of another block.
        let keeps =
            other.moment != 0 && other.block() != read.block() && last.block() == read.block();
        self.reads = [read, if keeps { other } else { last }];
    }

    /// Notes a write. The reads before it are ordered, or were reported.
    pub fn written(&mut self, write: Past) {
        self.write = write;
        self.reads = [Past::default(); 2];
    }
}

/// The cells of all device memory. They are made where memory is used.
pub struct Cells {
    chunks: HashMap<u64, Box<[Cell]>>,
    bytes: HashMap<u64, [Cell; WORD as usize]>,
    /// Chunks that were used lately, and their cells.
    recent: [Option<(u64, *mut Cell)>; RECENT],
}

// SAFETY: `recent` points into boxes of `chunks`, and is used through `&mut self` only.
unsafe impl Send for Cells {}

impl Default for Cells {
    fn default() -> Cells {
        Cells {
            chunks: HashMap::new(),
            bytes: HashMap::new(),
            recent: [None; RECENT],
        }
    }
}

impl Cells {
    /// Calls `act` for the cell of each word of an access, or of its bytes where an access has a part of a word.
    pub fn each(&mut self, address: u64, size: u64, mut act: impl FnMut(&mut Cell)) {
        let end = address + size;
        let mut word = address / WORD * WORD;
        while word < end {
            let (from, to) = (word.max(address), (word + WORD).min(end));
            let whole = to - from == WORD;
            let cell = self.cell(word);
            if whole && !cell.is_split {
                act(cell);
            } else {
                let copy = *cell;
                cell.is_split = true;
                let bytes = self.bytes.entry(word).or_insert([copy; WORD as usize]);
                for at in from - word..to - word {
                    act(&mut bytes[at as usize]);
                }
            }
            word += WORD;
        }
    }

    /// Forgets the accesses to a range: the memory is somebody else's now.
    pub fn forget(&mut self, start: u64, len: u64) {
        let end = start + len;
        let mut at = start / CHUNK * CHUNK;
        while at < end {
            let (from, to) = (at.max(start), (at + CHUNK).min(end));
            if to - from == CHUNK {
                self.recent[slot(at)] = None;
                self.chunks.remove(&at);
            } else if let Some(cells) = self.chunks.get_mut(&at) {
                let (first, last) = ((from - at) / WORD, (to - at).div_ceil(WORD));
                cells[first as usize..last as usize].fill(Cell::default());
            }
            at += CHUNK;
        }
        if (self.bytes.len() as u64) < len / WORD {
            self.bytes
                .retain(|&word, _| word + WORD <= start || end <= word);
        } else {
            for word in (start / WORD * WORD..end).step_by(WORD as usize) {
                self.bytes.remove(&word);
            }
        }
    }

    #[inline]
    fn cell(&mut self, word: u64) -> &mut Cell {
        let chunk = word / CHUNK * CHUNK;
        let index = ((word - chunk) / WORD) as usize;
        let cells = match self.recent[slot(chunk)] {
            Some((known, cells)) if known == chunk => cells,
            _ => {
                let count = (CHUNK / WORD) as usize;
                let made = self
                    .chunks
                    .entry(chunk)
                    .or_insert_with(|| vec![Cell::default(); count].into());
                let cells = made.as_mut_ptr();
                self.recent[slot(chunk)] = Some((chunk, cells));
                cells
            }
        };
        // SAFETY: the chunk's cells stay where they are until `forget` removes the chunk, here, too.
        unsafe { &mut *cells.add(index) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(block: u32, thread: u16, time: u32) -> Past {
        let moment = Moment {
            block,
            thread,
            time,
        };
        Past::new(moment, 5, true)
    }

    #[test]
    fn a_past_access_comes_back() {
        let it = past(u32::MAX, 1023, (1 << 22) - 1);
        let moment = it.moment().unwrap();
        assert_eq!((moment.block, moment.thread), (u32::MAX, 1023));
        assert_eq!((moment.time, it.site()), ((1 << 22) - 1, 5));
        assert!(it.is_atomic() && Past::default().moment().is_none());
    }

    #[test]
    fn bytes_of_a_word_are_kept_apart_where_they_are_used_apart() {
        let mut cells = Cells::default();
        cells.each(100, 4, |cell| cell.written(past(1, 0, 1)));
        cells.each(102, 1, |cell| cell.written(past(1, 1, 1)));
        let mut writers = Vec::new();
        cells.each(100, 8, |cell| writers.push(cell.write));
        let (a, b, none) = (past(1, 0, 1), past(1, 1, 1), Past::default());
        assert_eq!(writers, [a, a, b, a, none]);
        cells.forget(96, 16);
        cells.each(100, 4, |cell| assert_eq!(cell.write, none));
    }

    #[test]
    fn reads_of_two_blocks_are_kept() {
        let mut cell = Cell::default();
        for read in [past(1, 0, 1), past(2, 0, 1), past(2, 1, 1), past(2, 2, 1)] {
            cell.read(read);
        }
        assert_eq!(cell.reads, [past(2, 2, 1), past(1, 0, 1)]);
        cell.read(past(2, 2, 9));
        assert_eq!(cell.reads[0], past(2, 2, 9));
    }
}
