//! Plans: what programs hold handles of.

use std::ffi::c_int;
use std::sync::Arc;

use cuda_library::cudart::{Place, place};
use cuda_library::handles::Handles;
use cuda_library::nvidia::Front;
use parking_lot::Mutex;

use crate::layout::Layout;
use crate::status::{Result, Status};
use crate::transform::Transforms;

/// This library.
pub static FRONT: Front = Front::new("libcufft.so.11", c"cufftOmptargetFront");

/// `cufftType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Real to complex.
    RealToComplex,
    /// Complex to real.
    ComplexToReal,
    /// Complex to complex.
    Complex,
}

/// The transforms of a plan, in either precision.
pub enum Precise {
    /// `float`.
    Single(Transforms<f32>),
    /// `double`.
    Double(Transforms<f64>),
}

/// How the elements of one side lie.
pub enum Arrangement {
    /// One behind the other. In place, rows of real numbers leave room for their half of a spectrum.
    Basic,
    /// As the program says.
    Advanced(Layout),
}

/// What a plan does.
pub struct Task {
    /// The sort of transform.
    pub kind: Kind,
    /// The sizes of its dimensions.
    pub sizes: Vec<usize>,
    /// Where input is, and output.
    pub sides: [Arrangement; 2],
    /// The number of transforms.
    pub batch: usize,
    /// The transforms.
    pub transforms: Precise,
}

/// What a program sets of a plan.
#[derive(Default)]
pub struct Plan {
    /// What it does, once that is said.
    pub task: Option<Arc<Task>>,
    /// Where the work goes.
    pub stream: usize,
}

/// What programs hold handles of. 0 is none.
static PLANS: Handles<Mutex<Plan>> = Handles::starting_at(1);

/// A plan that has nothing to do yet.
pub fn create() -> Result<c_int> {
    match place() {
        Place::Virtual => Ok(PLANS.add(Mutex::default()) as c_int),
        _ => Err(Status::SETUP_FAILED),
    }
}

/// The plan of a handle.
pub fn plan(handle: c_int) -> Result<Arc<Mutex<Plan>>> {
    let handle = usize::try_from(handle).map_err(|_| Status::INVALID_PLAN)?;
    PLANS.get(handle).ok_or(Status::INVALID_PLAN)
}

/// Forgets a plan, after its work.
pub fn destroy(handle: c_int) -> Result<()> {
    let handle = usize::try_from(handle).map_err(|_| Status::INVALID_PLAN)?;
    PLANS.remove(handle).map(drop).ok_or(Status::INVALID_PLAN)
}

impl Task {
    /// The elements of a side: 0 is the input. Real rows are padded if input and output are the same memory.
    pub fn layout(&self, side: usize, in_place: bool) -> Layout {
        if let Arrangement::Advanced(layout) = &self.sides[side] {
            return layout.clone();
        }
        let row = self.sizes.last().copied().unwrap_or(1);
        let is_real = matches!(
            (self.kind, side),
            (Kind::RealToComplex, 0) | (Kind::ComplexToReal, 1)
        );
        let sizes = side_sizes(&self.sizes, self.kind, side);
        let places = match is_real && in_place {
            true => 2 * (row / 2 + 1),
            false => sizes.last().copied().unwrap_or(1),
        };
        Layout::packed(sizes, places)
    }
}

/// The sizes of a side: 0 is the input. The complex side of real numbers has half of the last dimension.
pub fn side_sizes(sizes: &[usize], kind: Kind, side: usize) -> Vec<usize> {
    let mut sizes = sizes.to_vec();
    let is_half = matches!(
        (kind, side),
        (Kind::RealToComplex, 1) | (Kind::ComplexToReal, 0)
    );
    if let (true, Some(last)) = (is_half, sizes.last_mut()) {
        *last = *last / 2 + 1;
    }
    sizes
}
