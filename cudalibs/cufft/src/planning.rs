//! The functions that make plans.

use std::ffi::{c_int, c_longlong, c_void};
use std::mem::transmute;
use std::sync::Arc;

use cuda_library::cudart::foreign_stream;
use cuda_library::version::Version;

use crate::layout::Layout;
use crate::plans::{self, Arrangement, FRONT, Kind, Precise, Task, create, plan, side_sizes};
use crate::status::{Result, Status, answer};
use crate::transform::Transforms;

/// The version of cuFFT that we stand in for.
const VERSION: Version = Version([11, 4, 1]);

/// Elements of the largest transform.
const MOST: usize = 1 << 31;

/// One side as a program describes it: sizes of the array, distances of elements and of transforms.
struct Described {
    embedding: Option<Vec<usize>>,
    step: usize,
    distance: usize,
}

/// A number that must be positive.
fn positive<N: TryInto<usize>>(number: N) -> Result<usize> {
    match number.try_into() {
        Ok(number @ 1..) => Ok(number),
        _ => Err(Status::INVALID_SIZE),
    }
}

impl Described {
    /// A side without a description.
    const BASIC: Described = Described {
        embedding: None,
        step: 1,
        distance: 0,
    };

    /// A side as the program describes it. Without an array the rest counts for nothing.
    ///
    /// # Safety
    /// The address is null or of `rank` numbers.
    unsafe fn of<N: Copy + TryInto<usize>>(
        rank: usize,
        embedding: *const N,
        step: N,
        distance: N,
    ) -> Result<Described> {
        if embedding.is_null() {
            return Ok(Described::BASIC);
        }
        // SAFETY: caller.
        let sizes = unsafe { std::slice::from_raw_parts(embedding, rank) };
        let sizes: Result<Vec<usize>> = sizes.iter().map(|size| positive(*size)).collect();
        Ok(Described {
            embedding: Some(sizes?),
            step: positive(step)?,
            distance: distance.try_into().map_err(|_| Status::INVALID_SIZE)?,
        })
    }

    fn arranged(self, sizes: Vec<usize>) -> Result<Arrangement> {
        let Some(embedding) = self.embedding else {
            return Ok(Arrangement::Basic);
        };
        let layout = Layout::embedded(sizes, &embedding, self.step, self.distance)?;
        Ok(Arrangement::Advanced(layout))
    }
}

/// What a plan is to do.
fn task(sizes: Vec<usize>, kind: c_int, sides: [Described; 2], batch: usize) -> Result<Task> {
    let (kind, is_double) = match kind {
        0x2a => (Kind::RealToComplex, false),
        0x2c => (Kind::ComplexToReal, false),
        0x29 => (Kind::Complex, false),
        0x6a => (Kind::RealToComplex, true),
        0x6c => (Kind::ComplexToReal, true),
        0x69 => (Kind::Complex, true),
        _ => return Err(Status::INVALID_TYPE),
    };
    let elements = sizes
        .iter()
        .try_fold(1_usize, |all, one| all.checked_mul(*one));
    if elements.is_none_or(|elements| elements > MOST) {
        return Err(Status::INVALID_SIZE);
    }
    let [input, output] = sides;
    let sides = [
        input.arranged(side_sizes(&sizes, kind, 0))?,
        output.arranged(side_sizes(&sizes, kind, 1))?,
    ];
    let transforms = match is_double {
        true => Precise::Double(Transforms::new(&sizes)),
        false => Precise::Single(Transforms::new(&sizes)),
    };
    Ok(Task {
        kind,
        sizes,
        sides,
        batch,
        transforms,
    })
}

/// Gives a plan its task, and says how much memory it wants: none.
///
/// # Safety
/// The address is null or valid.
unsafe fn make(handle: c_int, task: Result<Task>, work: *mut usize) -> Result<()> {
    let plan = plan(handle)?;
    let mut plan = plan.lock();
    if plan.task.is_some() {
        return Err(Status::INVALID_PLAN);
    }
    // SAFETY: caller.
    let work = unsafe { work.as_mut() }.ok_or(Status::INVALID_VALUE)?;
    plan.task = Some(Arc::new(task?));
    *work = 0;
    Ok(())
}

fn basic(sizes: &[c_int], kind: c_int, batch: c_int) -> Result<Task> {
    let sizes: Result<Vec<usize>> = sizes.iter().map(|size| positive(*size)).collect();
    task(
        sizes?,
        kind,
        [Described::BASIC, Described::BASIC],
        positive(batch)?,
    )
}

/// A task as the general functions describe it.
///
/// # Safety
/// The addresses are null or of `rank` numbers.
unsafe fn described<N: Copy + TryInto<usize>>(
    rank: c_int,
    sizes: *const N,
    (input, input_step, input_distance): (*const N, N, N),
    (output, output_step, output_distance): (*const N, N, N),
    kind: c_int,
    batch: N,
) -> Result<Task> {
    let rank = match rank {
        1..=3 => rank as usize,
        _ => return Err(Status::INVALID_VALUE),
    };
    if sizes.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: caller.
    let numbers = unsafe { std::slice::from_raw_parts(sizes, rank) };
    let numbers: Result<Vec<usize>> = numbers.iter().map(|size| positive(*size)).collect();
    // SAFETY: caller.
    let input = unsafe { Described::of(rank, input, input_step, input_distance) }?;
    // SAFETY: caller.
    let output = unsafe { Described::of(rank, output, output_step, output_distance) }?;
    task(numbers?, kind, [input, output], positive(batch)?)
}

/// Makes a handle with a task.
///
/// # Safety
/// The address is null or valid.
unsafe fn create_with(handle: *mut c_int, task: Result<Task>) -> c_int {
    let create = || {
        // SAFETY: caller.
        let place = unsafe { handle.as_mut() }.ok_or(Status::INVALID_VALUE)?;
        let task = task?;
        let own = create()?;
        plan(own)?.lock().task = Some(Arc::new(task));
        *place = own;
        Ok(())
    };
    answer(create())
}

/// NVIDIA's function of a name, called with the same arguments; the plan that it makes gets our default stream.
macro_rules! theirs {
    ($name:literal, $handle:ident $(, $argument:ident: $kind:ty)*) => {
        // SAFETY: the function has this type in cuFFT.
        unsafe {
            if let Some(theirs) = FRONT.function($name) {
                type Theirs = unsafe extern "C" fn(*mut c_int $(, $kind)*) -> c_int;
                let code = transmute::<*const c_void, Theirs>(theirs)($handle $(, $argument)*);
                return if code == 0 { set_stream(*$handle, std::ptr::null_mut()) } else { code };
            }
        }
    };
}

/// Makes a handle that has no task yet.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cufft_create(handle: *mut c_int) -> c_int {
    theirs!(c"cufftCreate", handle);
    // SAFETY: caller.
    let place = unsafe { handle.as_mut() }.ok_or(Status::INVALID_VALUE);
    answer(place.and_then(|place| {
        *place = create()?;
        Ok(())
    }))
}

/// Plans transforms of one dimension.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn plan_1d(handle: *mut c_int, x: c_int, kind: c_int, batch: c_int) -> c_int {
    theirs!(c"cufftPlan1d", handle, x: c_int, kind: c_int, batch: c_int);
    // SAFETY: caller.
    unsafe { create_with(handle, basic(&[x], kind, batch)) }
}

/// Plans a transform of two dimensions.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn plan_2d(handle: *mut c_int, x: c_int, y: c_int, kind: c_int) -> c_int {
    theirs!(c"cufftPlan2d", handle, x: c_int, y: c_int, kind: c_int);
    // SAFETY: caller.
    unsafe { create_with(handle, basic(&[x, y], kind, 1)) }
}

/// Plans a transform of three dimensions.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn plan_3d(
    handle: *mut c_int,
    x: c_int,
    y: c_int,
    z: c_int,
    kind: c_int,
) -> c_int {
    theirs!(c"cufftPlan3d", handle, x: c_int, y: c_int, z: c_int, kind: c_int);
    // SAFETY: caller.
    unsafe { create_with(handle, basic(&[x, y, z], kind, 1)) }
}

/// Plans transforms of any rank and layout.
///
/// # Safety
/// The addresses are as cuFFT wants them.
pub unsafe extern "C" fn plan_many(
    handle: *mut c_int,
    rank: c_int,
    sizes: *const c_int,
    input: *const c_int,
    input_step: c_int,
    input_distance: c_int,
    output: *const c_int,
    output_step: c_int,
    output_distance: c_int,
    kind: c_int,
    batch: c_int,
) -> c_int {
    theirs!(
        c"cufftPlanMany", handle, rank: c_int, sizes: *const c_int, input: *const c_int, input_step: c_int,
        input_distance: c_int, output: *const c_int, output_step: c_int, output_distance: c_int, kind: c_int,
        batch: c_int
    );
    let sides = (
        (input, input_step, input_distance),
        (output, output_step, output_distance),
    );
    // SAFETY: caller.
    unsafe {
        create_with(
            handle,
            described(rank, sizes, sides.0, sides.1, kind, batch),
        )
    }
}

/// Gives a handle transforms of one dimension.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn make_1d(
    handle: c_int,
    x: c_int,
    kind: c_int,
    batch: c_int,
    work: *mut usize,
) -> c_int {
    // SAFETY: caller.
    answer(unsafe { make(handle, basic(&[x], kind, batch), work) })
}

/// Gives a handle a transform of two dimensions.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn make_2d(
    handle: c_int,
    x: c_int,
    y: c_int,
    kind: c_int,
    work: *mut usize,
) -> c_int {
    // SAFETY: caller.
    answer(unsafe { make(handle, basic(&[x, y], kind, 1), work) })
}

/// Gives a handle a transform of three dimensions.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn make_3d(
    handle: c_int,
    x: c_int,
    y: c_int,
    z: c_int,
    kind: c_int,
    work: *mut usize,
) -> c_int {
    // SAFETY: caller.
    answer(unsafe { make(handle, basic(&[x, y, z], kind, 1), work) })
}

macro_rules! make_many {
    ($(#[$doc:meta])* $name:ident, $number:ty) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The addresses are as cuFFT wants them.
        pub unsafe extern "C" fn $name(
            handle: c_int, rank: c_int, sizes: *const $number, input: *const $number, input_step: $number,
            input_distance: $number, output: *const $number, output_step: $number, output_distance: $number,
            kind: c_int, batch: $number, work: *mut usize,
        ) -> c_int {
            let sides = ((input, input_step, input_distance), (output, output_step, output_distance));
            // SAFETY: caller.
            answer(unsafe { make(handle, described(rank, sizes, sides.0, sides.1, kind, batch), work) })
        }
    };
}

make_many! {
    /// Gives a handle transforms of any rank and layout.
    make_many, c_int
}
make_many! {
    /// The same with sizes of 64 bits.
    make_many_64, c_longlong
}

/// The `cufftType` that types of elements make: those of input, output and computation.
fn kind_of(input: c_int, output: c_int, execution: c_int) -> Result<c_int> {
    const REAL: [c_int; 2] = [0, 1];
    const COMPLEX: [c_int; 2] = [4, 5];
    let precision = COMPLEX.iter().position(|kind| *kind == execution);
    let precision = precision.ok_or(Status::INVALID_TYPE)?;
    let (real, complex) = (REAL[precision], COMPLEX[precision]);
    let kinds = [[0x2a, 0x2c, 0x29], [0x6a, 0x6c, 0x69]][precision];
    match (
        input == real,
        input == complex,
        output == real,
        output == complex,
    ) {
        (true, _, _, true) => Ok(kinds[0]),
        (_, true, true, _) => Ok(kinds[1]),
        (_, true, _, true) => Ok(kinds[2]),
        _ => Err(Status::INVALID_TYPE),
    }
}

/// Gives a handle transforms whose types of elements are named one by one.
///
/// # Safety
/// The addresses are as cuFFT wants them.
pub unsafe extern "C" fn make_typed(
    handle: c_int,
    rank: c_int,
    sizes: *const c_longlong,
    input: *const c_longlong,
    input_step: c_longlong,
    input_distance: c_longlong,
    input_kind: c_int,
    output: *const c_longlong,
    output_step: c_longlong,
    output_distance: c_longlong,
    output_kind: c_int,
    batch: c_longlong,
    work: *mut usize,
    execution: c_int,
) -> c_int {
    let kind = match kind_of(input_kind, output_kind, execution) {
        Ok(kind) => kind,
        Err(status) => return status.0,
    };
    let sides = (
        (input, input_step, input_distance),
        (output, output_step, output_distance),
    );
    // SAFETY: caller.
    answer(unsafe {
        make(
            handle,
            described(rank, sizes, sides.0, sides.1, kind, batch),
            work,
        )
    })
}

/// The memory that a task would want: none.
///
/// # Safety
/// The address is null or valid.
unsafe fn none_for(task: Result<Task>, work: *mut usize) -> c_int {
    // SAFETY: caller.
    let place = unsafe { work.as_mut() }.ok_or(Status::INVALID_VALUE);
    answer(task.and_then(|_| place.map(|place| *place = 0)))
}

/// The memory for transforms of one dimension.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn estimate_1d(
    x: c_int,
    kind: c_int,
    batch: c_int,
    work: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { none_for(basic(&[x], kind, batch), work) }
}

/// The memory for a transform of two dimensions.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn estimate_2d(x: c_int, y: c_int, kind: c_int, work: *mut usize) -> c_int {
    // SAFETY: caller.
    unsafe { none_for(basic(&[x, y], kind, 1), work) }
}

/// The memory for a transform of three dimensions.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn estimate_3d(
    x: c_int,
    y: c_int,
    z: c_int,
    kind: c_int,
    work: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { none_for(basic(&[x, y, z], kind, 1), work) }
}

/// The memory for transforms of any rank and layout.
///
/// # Safety
/// The addresses are as cuFFT wants them.
pub unsafe extern "C" fn estimate_many(
    rank: c_int,
    sizes: *const c_int,
    input: *const c_int,
    input_step: c_int,
    input_distance: c_int,
    output: *const c_int,
    output_step: c_int,
    output_distance: c_int,
    kind: c_int,
    batch: c_int,
    work: *mut usize,
) -> c_int {
    let sides = (
        (input, input_step, input_distance),
        (output, output_step, output_distance),
    );
    // SAFETY: caller.
    unsafe { none_for(described(rank, sizes, sides.0, sides.1, kind, batch), work) }
}

/// The memory that a plan wants.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_size(handle: c_int, work: *mut usize) -> c_int {
    // SAFETY: caller.
    let place = unsafe { work.as_mut() }.ok_or(Status::INVALID_VALUE);
    answer(plan(handle).and_then(|_| place.map(|place| *place = 0)))
}

/// Gives a plan memory to work with. It needs none.
pub extern "C" fn set_work_area(handle: c_int, _memory: *mut c_void) -> c_int {
    answer(plan(handle).map(drop))
}

/// Gives a plan memory to work with, one place for each device. It needs none.
pub extern "C" fn set_work_areas(handle: c_int, _memory: *mut *mut c_void) -> c_int {
    answer(plan(handle).map(drop))
}

/// Makes a plan one of several devices, which is refused: a plan is of one.
pub extern "C" fn set_devices(handle: c_int, _count: c_int, _devices: *mut c_int) -> c_int {
    answer(plan(handle).and(Err(Status::NOT_SUPPORTED)))
}

/// Copies what several devices have parts of. No plan gives such a thing.
pub extern "C" fn copy_parts(
    handle: c_int,
    _to: *mut c_void,
    _from: *mut c_void,
    _kind: c_int,
) -> c_int {
    answer(plan(handle).and(Err(Status::NOT_SUPPORTED)))
}

/// Transforms what several devices have parts of.
pub extern "C" fn transform_parts(
    handle: c_int,
    _from: *mut c_void,
    _to: *mut c_void,
    _direction: c_int,
) -> c_int {
    answer(plan(handle).and(Err(Status::NOT_SUPPORTED)))
}

/// Says whether plans allocate their memory. They need none.
pub extern "C" fn set_auto_allocation(handle: c_int, _wanted: c_int) -> c_int {
    answer(plan(handle).map(drop))
}

/// Chooses the stream of a plan.
///
/// # Safety
/// The handle is one of this library or of NVIDIA's.
pub unsafe extern "C" fn set_stream(handle: c_int, stream: *mut c_void) -> c_int {
    type SetStream = unsafe extern "C" fn(c_int, *mut c_void) -> c_int;
    // SAFETY: the function has this type in cuFFT.
    unsafe {
        if let Some(theirs) = FRONT.function(c"cufftSetStream") {
            let Some(stream) = foreign_stream(stream as usize) else {
                return Status::INVALID_VALUE.0;
            };
            return transmute::<*const c_void, SetStream>(theirs)(handle, stream);
        }
    }
    answer(plan(handle).map(|plan| plan.lock().stream = stream as usize))
}

/// Destroys a plan, after its work.
pub extern "C" fn destroy(handle: c_int) -> c_int {
    answer(plans::destroy(handle))
}

/// The version.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_version(version: *mut c_int) -> c_int {
    // SAFETY: caller.
    let place = unsafe { version.as_mut() }.ok_or(Status::INVALID_VALUE);
    answer(place.map(|place| *place = VERSION.number(1000)))
}

/// A part of the version.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_property(part: c_int, value: *mut c_int) -> c_int {
    // SAFETY: caller.
    let written = unsafe { VERSION.write_part(part, value) };
    answer(written.ok_or(Status::INVALID_VALUE))
}
