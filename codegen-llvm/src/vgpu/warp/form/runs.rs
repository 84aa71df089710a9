//! Runs: parts of a subgroup whose lanes' elements are consecutive, or are one element.
//!
//! At unit stride the whole subgroup is one run. In tiles of 16 columns each half of a warp is ([`Shape::Tiled`]): an
//! access is two of vectors with 16 elements, or loads two elements for 16 lanes each.
//!
//! [`Shape::Tiled`]: crate::vgpu::warp::analysis::shape::Shape::Tiled

use super::vectoriser::Vectoriser;
use super::versions::all_lanes;
use crate::ir::{Type, Value};

/// How elements lie in runs.
#[derive(Clone, Copy)]
pub(super) struct RunShape {
    /// Lanes of a run.
    pub(super) columns: u32,
    /// Whether the lanes of a run have one element. Such runs are only loaded, and only while every lane is active.
    pub(super) repeated: bool,
    /// The difference from run to run.
    pub(super) down: i64,
    /// How many elements lie from a lane's element to the next one's; more than one in one run of all lanes alone, and
    /// only while every lane is active.
    pub(super) apart: u32,
}

/// Where elements lie in runs; the difference from run to run in bytes.
#[derive(Clone, Copy)]
pub(super) struct Runs {
    shape: RunShape,
    /// The address of lane 0's element.
    start: Value,
}

impl RunShape {
    /// One run.
    pub(super) fn unit_stride(width: u32) -> RunShape {
        RunShape {
            columns: width,
            repeated: false,
            down: 0,
            apart: 1,
        }
    }

    /// One run of elements that lie apart.
    pub(super) fn spaced(width: u32, apart: u32) -> RunShape {
        RunShape {
            apart,
            ..RunShape::unit_stride(width)
        }
    }

    /// With this first element.
    pub(super) fn from(self, start: Value) -> Runs {
        Runs { shape: self, start }
    }

    /// In units of which `factor` make one.
    pub(super) fn scaled(self, factor: i64) -> RunShape {
        let down = self.down.wrapping_mul(factor);
        RunShape { down, ..self }
    }

    /// How far the last lane's value lies from lane 0's, if neighbours in a run differ by `step`.
    pub(super) fn reach(self, step: i64, width: u32) -> i64 {
        let (columns, runs) = (i64::from(self.columns), i64::from(width / self.columns));
        let across = if self.repeated { 0 } else { step };
        across * i64::from(self.apart) * (columns - 1) + self.down * (runs - 1)
    }
}

impl Runs {
    /// The address of lane 0's element.
    pub(super) fn start(self) -> Value {
        self.start
    }

    /// Its rows of lanes, for elements of `size` bytes: the columns, the distance across and, if there are several
    /// rows, that down.
    pub(super) fn tile(self, width: u32, size: u64) -> (u32, i64, Option<i64>) {
        let RunShape {
            columns,
            repeated,
            down,
            apart,
        } = self.shape;
        let across = match repeated {
            true => 0,
            false => size as i64 * i64::from(apart),
        };
        (columns, across, (columns < width).then_some(down))
    }

    /// How many elements lie from a lane's element to the next one's.
    pub(super) fn apart(self) -> u32 {
        self.shape.apart
    }
}

impl Vectoriser<'_> {
    /// Whether every lane is active, as far as is known without asking.
    pub(super) fn is_every_lane_active(&self) -> bool {
        self.mask == all_lanes(self.context, self.width)
    }

    /// The same runs `bytes` bytes further on.
    pub(super) fn runs_behind(&self, runs: Runs, bytes: i64) -> Runs {
        let start = self.offset_by(runs.start, bytes);
        Runs { start, ..runs }
    }

    /// The active lanes' elements, of type `ty`; `address` is the kernel's address, for the prefetch.
    pub(super) fn load_runs(
        &mut self,
        address: Value,
        ty: Type,
        runs: Runs,
        alignment: u64,
    ) -> Value {
        let Runs { shape, start } = runs;
        if shape.apart > 1 {
            return self.load_spaced(address, ty, runs, &[0], alignment)[0];
        }
        if shape.columns == self.width {
            return self.load_unit_stride(address, ty.vector(self.width), start, alignment);
        }
        let parts = self.parts(runs);
        let loaded = parts.map(|(start, lanes)| match shape.repeated {
            true => {
                let load = self.builder.load(ty, start);
                load.set_alignment(alignment as u32);
                self.builder.splat(load, shape.columns)
            }
            false => {
                let mask = self.builder.shuffle_both(self.mask, self.mask, lanes);
                self.masked_load(ty.vector(shape.columns), start, mask, alignment)
            }
        });
        self.concatenate(loaded.collect())
    }

    /// Stores the active lanes' elements.
    pub(super) fn store_runs(&self, vector: Value, runs: Runs, alignment: u64) {
        if runs.apart() > 1 {
            return self.store_spaced(vector, runs, alignment);
        }
        for (start, lanes) in self.parts(runs) {
            let part = self.builder.shuffle_both(vector, vector, lanes.clone());
            let mask = self.builder.shuffle_both(self.mask, self.mask, lanes);
            self.masked_store(part, start, mask, alignment);
        }
    }

    /// Bytes of a run, of elements of `size` bytes.
    pub(super) fn run_bytes(&self, runs: Runs, size: u64) -> u64 {
        match runs.shape.repeated {
            true => size,
            false => size * u64::from((runs.shape.columns - 1) * runs.shape.apart + 1),
        }
    }

    /// Each run's first element and lanes.
    pub(super) fn parts(&self, runs: Runs) -> impl Iterator<Item = (Value, std::ops::Range<u64>)> {
        let Runs { shape, start } = runs;
        let columns = u64::from(shape.columns);
        (0..u64::from(self.width) / columns).map(move |run| {
            let start = self.offset_by(start, shape.down.wrapping_mul(run as i64));
            (start, run * columns..(run + 1) * columns)
        })
    }
}
