//! Matrices of small numbers, in the formats of PTX's matrix instructions.

/// A format of elements.
#[derive(Clone, Copy)]
pub struct Format {
    /// Bits of an element.
    pub bits: usize,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// Bits of exponent and mantissa.
    Float(u32, u32),
    Signed,
    Unsigned,
}

impl Format {
    /// Bits of a register.
    pub fn register(self) -> usize {
        self.bits.max(32)
    }
}

/// The format that PTX has a name for.
pub fn format(name: &str) -> Format {
    let (bits, kind) = match name {
        "f16" => (16, Kind::Float(5, 10)),
        "bf16" => (16, Kind::Float(8, 7)),
        "f32" | "tf32" => (32, Kind::Float(8, 23)),
        "f64" => (64, Kind::Float(11, 52)),
        "e4m3" => (8, Kind::Float(4, 3)),
        "e5m2" => (8, Kind::Float(5, 2)),
        "e3m2" => (8, Kind::Float(3, 2)),
        "e2m3" => (8, Kind::Float(2, 3)),
        // In the middle of 8 bits.
        "e2m1" => (8, Kind::Float(2, 1)),
        "b1" => (1, Kind::Unsigned),
        _ if name.starts_with('s') => (name[1..].parse().unwrap(), Kind::Signed),
        _ => (name[1..].parse().unwrap(), Kind::Unsigned),
    };
    Format { bits, kind }
}

/// A matrix of integers.
pub struct Matrix {
    format: Format,
    columns: usize,
    numbers: Vec<i64>,
}

impl Matrix {
    /// One of random numbers that the format has. Addends of integers are large.
    pub fn random(name: &str, rows: usize, columns: usize, seed: usize) -> Matrix {
        let mut state = seed as u64 * 2 + 1;
        let format = format(name);
        Matrix::computed(name, rows, columns, |_, _| {
            // The generator of `operands`.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let random = (state >> 24) as i64;
            match format.kind {
                Kind::Float(..) => random.rem_euclid(9) - 4,
                Kind::Signed => random << (64 - format.bits) >> (64 - format.bits),
                Kind::Unsigned => random & ((1 << format.bits) - 1),
            }
        })
    }

    /// One of computed numbers.
    pub fn computed(
        name: &str,
        rows: usize,
        columns: usize,
        mut number: impl FnMut(usize, usize) -> i64,
    ) -> Matrix {
        let numbers = (0..rows * columns)
            .map(|at| number(at / columns, at % columns))
            .collect();
        Matrix {
            format: format(name),
            columns,
            numbers,
        }
    }

    /// A number.
    pub fn number(&self, row: usize, column: usize) -> i64 {
        self.numbers[row * self.columns + column]
    }

    /// A number's bits.
    pub fn bits(&self, row: usize, column: usize) -> u64 {
        encoded(self.format, self.number(row, column))
    }

    /// As it lies in memory, by rows or by columns of `stride` elements. The rest is 0.
    pub fn in_memory(&self, by_rows: bool, stride: usize) -> Vec<u32> {
        let rows = self.numbers.len() / self.columns;
        let lines = if by_rows { rows } else { self.columns };
        let mut words = vec![0; (lines * stride * self.format.bits).div_ceil(32)];
        for row in 0..rows {
            for column in 0..self.columns {
                let (major, minor) = if by_rows {
                    (row, column)
                } else {
                    (column, row)
                };
                place(
                    &mut words,
                    (major * stride + minor) * self.format.bits,
                    self.bits(row, column),
                );
            }
        }
        words
    }
}

/// Puts bits at a place, in bits.
pub fn place(words: &mut [u32], at: usize, bits: u64) {
    words[at / 32] |= (bits << (at % 32)) as u32;
    if bits >> 32 != 0 {
        words[at / 32 + 1] |= (bits >> 32) as u32;
    }
}

fn encoded(format: Format, number: i64) -> u64 {
    let mask = u64::MAX >> (64 - format.bits);
    let Kind::Float(exponent, mantissa) = format.kind else {
        return number as u64 & mask;
    };
    let magnitude = number.unsigned_abs();
    // Of a format with fewer bits than its place has, those of 4 are in the middle.
    let moved = if exponent + mantissa == 3 { 2 } else { 0 };
    let Some(log) = magnitude.checked_ilog2() else {
        return 0;
    };
    assert!(
        magnitude.is_multiple_of(1 << log.saturating_sub(mantissa)),
        "{number} has too many digits"
    );
    let bias = (1 << (exponent - 1)) - 1;
    let digits = ((magnitude - (1 << log)) << mantissa) >> log;
    let sign = u64::from(number < 0) << (exponent + mantissa);
    (sign | (u64::from(log) + bias) << mantissa | digits) << moved
}
