//! The functions.

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::Arc;

use cuda_library::cudart::{Place, foreign_stream, place};
use cuda_library::device_memory::is_device_memory;
use cuda_library::nvidia::Front;
use cuda_library::ordered_work::Stream;
use cuda_library::report;
use cuda_library::version::Version;
use parking_lot::Mutex;

use crate::distributions::Poisson;
use crate::generators::{GENERATORS, Generator, Kind, Number, Wanted};
use crate::status::{Result, Status, answer};
use crate::{scramble, sobol};

/// This library.
pub static FRONT: Front = Front::new("libcurand.so.10", c"curandOmptargetFront");

/// The version of cuRAND that we stand in for.
const VERSION: Version = Version([10, 3, 10]);

fn create_own(handle: *mut *mut c_void, kind: c_int, on_host: bool) -> Result<()> {
    if !on_host && place() != Place::Virtual {
        return Err(Status::INITIALIZATION_FAILED);
    }
    // SAFETY: the caller's address is null or valid.
    let place = unsafe { handle.as_mut() }.ok_or(Status::OUT_OF_RANGE)?;
    let generator = Generator::new(Kind::of(kind)?, on_host);
    *place = GENERATORS.add(Mutex::new(generator)) as *mut c_void;
    Ok(())
}

/// Makes a generator whose numbers go to device memory. NVIDIA's gets the stream that is our default stream there.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create(handle: *mut *mut c_void, kind: c_int) -> c_int {
    type Create = unsafe extern "C" fn(*mut *mut c_void, c_int) -> c_int;
    // SAFETY: the function has this type in cuRAND.
    unsafe {
        if let Some(theirs) = FRONT.function(c"curandCreateGenerator") {
            let code = transmute::<*const c_void, Create>(theirs)(handle, kind);
            return if code == 0 {
                set_stream(*handle, std::ptr::null_mut())
            } else {
                code
            };
        }
    }
    answer(create_own(handle, kind, false))
}

/// Makes a generator whose numbers go to memory of the host.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create_host(handle: *mut *mut c_void, kind: c_int) -> c_int {
    answer(create_own(handle, kind, true))
}

fn generator(handle: *mut c_void) -> Result<Arc<Mutex<Generator>>> {
    GENERATORS
        .get(handle as usize)
        .ok_or(Status::NOT_INITIALIZED)
}

/// Destroys a generator, after its work.
pub extern "C" fn destroy(handle: *mut c_void) -> c_int {
    let gone = GENERATORS.remove(handle as usize);
    answer(gone.map(drop).ok_or(Status::NOT_INITIALIZED))
}

/// Chooses the stream of a generator.
///
/// # Safety
/// The handle is one of this library or of NVIDIA's.
pub unsafe extern "C" fn set_stream(handle: *mut c_void, stream: *mut c_void) -> c_int {
    type SetStream = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
    // SAFETY: the function has this type in cuRAND.
    unsafe {
        if let Some(theirs) = FRONT.function(c"curandSetStream") {
            let Some(stream) = foreign_stream(stream as usize) else {
                return Status::OUT_OF_RANGE.0;
            };
            return transmute::<*const c_void, SetStream>(theirs)(handle, stream);
        }
    }
    answer(generator(handle).map(|generator| generator.lock().stream = stream as usize))
}

/// Changes a generator when the work that it has is done: work that runs uses it.
fn set(handle: *mut c_void, change: impl FnOnce(&mut Generator) -> Result<()>) -> c_int {
    let set = || {
        let generator = generator(handle)?;
        let (on_host, stream) = {
            let generator = generator.lock();
            (generator.on_host, generator.stream)
        };
        if !on_host {
            Stream(stream).synchronize()?;
        }
        change(&mut generator.lock())
    };
    answer(set())
}

/// Begins anew with a seed.
pub extern "C" fn set_seed(handle: *mut c_void, seed: u64) -> c_int {
    set(handle, |generator| generator.set_seed(seed))
}

/// Begins anew at a number.
pub extern "C" fn set_offset(handle: *mut c_void, offset: u64) -> c_int {
    set(handle, |generator| generator.set_offset(offset))
}

/// Chooses the order of numbers.
pub extern "C" fn set_ordering(handle: *mut c_void, ordering: c_int) -> c_int {
    set(handle, |generator| generator.set_ordering(ordering))
}

/// Chooses the number of dimensions.
pub extern "C" fn set_dimensions(handle: *mut c_void, dimensions: u32) -> c_int {
    set(handle, |generator| {
        generator.set_dimensions(dimensions as usize)
    })
}

/// Prepares a generator: it prepares itself when it is used.
pub extern "C" fn prepare(handle: *mut c_void) -> c_int {
    answer(generator(handle).map(drop))
}

/// An address that work writes to.
struct Target<T>(*mut T);

// SAFETY: it is an address. The program answers for what else uses the memory.
unsafe impl<T> Send for Target<T> {}

impl<T> Target<T> {
    /// Writes an element.
    ///
    /// # Safety
    /// The element lies in memory that the program gave for it.
    unsafe fn write(&self, index: usize, value: T) {
        // SAFETY: caller.
        unsafe { *self.0.add(index) = value }
    }
}

/// Makes numbers in a generator's memory and order.
fn make<T: 'static>(
    handle: *mut c_void,
    target: *mut T,
    count: usize,
    wanted: Wanted,
    convert: impl Fn(Number) -> T + Send + 'static,
) -> Result<()> {
    let generator = generator(handle)?;
    let (on_host, stream) = {
        let generator = generator.lock();
        generator.check_count(count, wanted)?;
        (generator.on_host, generator.stream)
    };
    let bytes = count
        .checked_mul(size_of::<T>())
        .ok_or(Status::OUT_OF_RANGE)?;
    if count == 0 {
        return Ok(());
    }
    if target.is_null() || !target.is_aligned() {
        return Err(Status::OUT_OF_RANGE);
    }
    if !on_host && !is_device_memory(target as usize, bytes) {
        let what = format!("{bytes} bytes at {target:p} are not device memory");
        report("libcurand", &what);
        return Err(Status::LAUNCH_FAILURE);
    }
    let target = Target(target);
    let work = move || {
        // SAFETY: the memory was checked, or is the program's for so many numbers.
        let put = |index, number| unsafe { target.write(index, convert(number)) };
        generator.lock().make(count, wanted, put);
    };
    if on_host {
        work();
        return Ok(());
    }
    Ok(Stream(stream).run(work)?)
}

/// Numbers of 32 bits.
pub extern "C" fn generate(handle: *mut c_void, target: *mut u32, count: usize) -> c_int {
    let is_wide = |generator: &Arc<Mutex<Generator>>| generator.lock().kind.is_wide();
    match generator(handle) {
        Ok(generator) if is_wide(&generator) => Status::TYPE_ERROR.0,
        _ => answer(make(handle, target, count, Wanted::Bits, |number| {
            number.bits() as u32
        })),
    }
}

/// Numbers of 64 bits.
pub extern "C" fn generate_long(handle: *mut c_void, target: *mut u64, count: usize) -> c_int {
    let is_wide = |generator: &Arc<Mutex<Generator>>| generator.lock().kind.is_wide();
    match generator(handle) {
        Ok(generator) if !is_wide(&generator) => Status::TYPE_ERROR.0,
        _ => answer(make(handle, target, count, Wanted::Bits, Number::bits)),
    }
}

/// Numbers in (0, 1].
pub extern "C" fn generate_uniform(handle: *mut c_void, target: *mut f32, count: usize) -> c_int {
    answer(make(handle, target, count, Wanted::Uniform, |number| {
        number.real() as f32
    }))
}

/// Numbers in (0, 1], of `double`.
pub extern "C" fn generate_uniform_double(
    handle: *mut c_void,
    target: *mut f64,
    count: usize,
) -> c_int {
    answer(make(
        handle,
        target,
        count,
        Wanted::UniformDouble,
        Number::real,
    ))
}

/// Normal numbers.
pub extern "C" fn generate_normal(
    handle: *mut c_void,
    target: *mut f32,
    count: usize,
    mean: f32,
    deviation: f32,
) -> c_int {
    let wanted = Wanted::Normal(mean, deviation);
    answer(make(handle, target, count, wanted, |number| {
        number.real() as f32
    }))
}

/// Normal numbers, of `double`.
pub extern "C" fn generate_normal_double(
    handle: *mut c_void,
    target: *mut f64,
    count: usize,
    mean: f64,
    deviation: f64,
) -> c_int {
    answer(make(
        handle,
        target,
        count,
        Wanted::NormalDouble(mean, deviation),
        Number::real,
    ))
}

/// Numbers whose logarithms are normal.
pub extern "C" fn generate_log_normal(
    handle: *mut c_void,
    target: *mut f32,
    count: usize,
    mean: f32,
    deviation: f32,
) -> c_int {
    let wanted = Wanted::Normal(mean, deviation);
    answer(make(handle, target, count, wanted, |number| {
        number.real().exp() as f32
    }))
}

/// Numbers whose logarithms are normal, of `double`.
pub extern "C" fn generate_log_normal_double(
    handle: *mut c_void,
    target: *mut f64,
    count: usize,
    mean: f64,
    deviation: f64,
) -> c_int {
    let wanted = Wanted::NormalDouble(mean, deviation);
    answer(make(handle, target, count, wanted, |number| {
        number.real().exp()
    }))
}

/// Numbers of Poisson's distribution.
pub extern "C" fn generate_poisson(
    handle: *mut c_void,
    target: *mut u32,
    count: usize,
    mean: f64,
) -> c_int {
    if !(mean > 0.0 && mean < 1e9) {
        return Status::OUT_OF_RANGE.0;
    }
    let poisson = Poisson::new(mean);
    let convert = move |number: Number| poisson.quantile(number.real());
    answer(make(handle, target, count, Wanted::UniformDouble, convert))
}

/// The direction vectors of Sobol's sequences of 32 bits.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn directions_32(vectors: *mut *const [u32; 32], set: c_int) -> c_int {
    // SAFETY: caller.
    match (unsafe { vectors.as_mut() }, set) {
        (Some(place), 101) => *place = sobol::all_short().as_ptr(),
        (Some(place), 102) => *place = scramble::short_directions().as_ptr(),
        _ => return Status::OUT_OF_RANGE.0,
    }
    0
}

/// The direction vectors of Sobol's sequences of 64 bits.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn directions_64(vectors: *mut *const [u64; 64], set: c_int) -> c_int {
    // SAFETY: caller.
    match (unsafe { vectors.as_mut() }, set) {
        (Some(place), 103) => *place = sobol::all().as_ptr(),
        (Some(place), 104) => *place = scramble::directions().as_ptr(),
        _ => return Status::OUT_OF_RANGE.0,
    }
    0
}

/// What scrambled sequences of 32 bits are shifted by.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn shifts_32(shifts: *mut *const u32) -> c_int {
    // SAFETY: caller.
    let place = unsafe { shifts.as_mut() }.ok_or(Status::OUT_OF_RANGE);
    answer(place.map(|place| *place = scramble::short_shifts().as_ptr()))
}

/// What scrambled sequences of 64 bits are shifted by.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn shifts_64(shifts: *mut *const u64) -> c_int {
    // SAFETY: caller.
    let place = unsafe { shifts.as_mut() }.ok_or(Status::OUT_OF_RANGE);
    answer(place.map(|place| *place = scramble::shifts().as_ptr()))
}

/// The version.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_version(version: *mut c_int) -> c_int {
    // SAFETY: caller.
    let place = unsafe { version.as_mut() }.ok_or(Status::OUT_OF_RANGE);
    answer(place.map(|place| *place = VERSION.number(1000)))
}

/// A part of the version.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_property(part: c_int, value: *mut c_int) -> c_int {
    // SAFETY: caller.
    let written = unsafe { VERSION.write_part(part, value) };
    answer(written.ok_or(Status::OUT_OF_RANGE))
}
