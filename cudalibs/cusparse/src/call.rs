//! A call: its handle's settings, and arguments that are checked.

use std::ffi::{c_int, c_void};
use std::ops::{AddAssign, Div, Mul, Neg, Sub};
use std::sync::Arc;

use cuda_library::cudart::{Place, place};
use cuda_library::device_memory::is_device_memory;
use cuda_library::elements::{Complex32, Complex64, Kind, Stored};
use cuda_library::handles::Handles;
use cuda_library::nvidia::Front;
use cuda_library::ordered_work::Stream;
use cuda_library::{report, with_type};
use num_complex::ComplexFloat;
use num_traits::Zero;
use parking_lot::Mutex;

use crate::status::{Result, Status};

/// This library.
pub static FRONT: Front = Front::new("libcusparse.so.12", c"cusparseOmptargetFront");

/// What a program sets of a handle.
#[derive(Clone, Copy, Default)]
pub struct Settings {
    /// Where the work goes.
    pub stream: usize,
    /// Whether scalars lie in device memory.
    pub device_pointers: bool,
}

/// What programs hold handles of.
pub static HANDLES: Handles<Mutex<Settings>> = Handles::starting_at(0x59A0_0000);

/// A handle with the default settings.
pub fn create() -> Result<*mut c_void> {
    match place() {
        Place::Virtual => Ok(HANDLES.add(Mutex::default()) as *mut c_void),
        _ => Err(Status::NOT_INITIALIZED),
    }
}

/// The settings of a handle.
pub fn settings(handle: *mut c_void) -> Result<Arc<Mutex<Settings>>> {
    HANDLES.get(handle as usize).ok_or(Status::NOT_INITIALIZED)
}

/// A type that operations compute with.
pub trait Work:
    Stored
    + ComplexFloat
    + Default
    + Zero
    + AddAssign
    + Mul<Output = Self>
    + Sub<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
}

impl Work for f32 {}
impl Work for f64 {}
impl Work for Complex32 {}
impl Work for Complex64 {}

/// Does something generic with the type that operations of a kind compute with. Sums of small integers are exact in
/// 64 bits.
#[macro_export]
macro_rules! with_work {
    ($kind:expr, $name:ident => $body:expr) => {
        match $kind {
            cuda_library::elements::Kind::F64
            | cuda_library::elements::Kind::I32
            | cuda_library::elements::Kind::I8 => {
                type $name = f64;
                $body
            }
            cuda_library::elements::Kind::C32 => {
                type $name = cuda_library::elements::Complex32;
                $body
            }
            cuda_library::elements::Kind::C64 => {
                type $name = cuda_library::elements::Complex64;
                $body
            }
            _ => {
                type $name = f32;
                $body
            }
        }
    };
}

/// A `cudaDataType`.
pub fn kind(number: c_int) -> Result<Kind> {
    Kind::of(number).ok_or(Status::NOT_SUPPORTED)
}

/// A number of elements.
pub fn size<N: TryInto<usize>>(count: N) -> Result<usize> {
    count.try_into().map_err(|_| Status::INVALID_VALUE)
}

/// A scalar's value, to be read when the work runs.
pub type Value = Box<dyn FnOnce() -> Complex64 + Send>;

/// Memory that a program gave, by its address.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory(pub usize);

impl Memory {
    /// Reads an element.
    ///
    /// # Safety
    /// The element lies in memory that was checked.
    pub unsafe fn read<T: Copy>(self, index: usize) -> T {
        // SAFETY: caller.
        unsafe { (self.0 as *const T).add(index).read_unaligned() }
    }

    /// Writes an element.
    ///
    /// # Safety
    /// The element lies in memory that was checked.
    pub unsafe fn write<T: Copy>(self, index: usize, value: T) {
        // SAFETY: caller.
        unsafe { (self.0 as *mut T).add(index).write_unaligned(value) }
    }
}

/// A call of a handle.
pub struct Call {
    stream: Stream,
    device_pointers: bool,
}

impl Call {
    /// A call of this handle.
    pub fn of(handle: *mut c_void) -> Result<Call> {
        let settings = *settings(handle)?.lock();
        Ok(Call {
            stream: Stream(settings.stream),
            device_pointers: settings.device_pointers,
        })
    }

    /// Device memory for so many elements.
    pub fn memory(&self, address: usize, count: usize, element: usize) -> Result<Memory> {
        if address == 0 && count > 0 {
            return Err(Status::INVALID_VALUE);
        }
        let bytes = count.checked_mul(element).ok_or(Status::INVALID_VALUE)?;
        if is_device_memory(address, bytes) {
            return Ok(Memory(address));
        }
        let what = format!("{bytes} bytes at {address:#x} are not device memory");
        report("libcusparse", &what);
        Err(Status::EXECUTION_FAILED)
    }

    /// The same for elements of a type.
    pub fn elements<T>(&self, address: *const T, count: usize) -> Result<Memory> {
        self.memory(address as usize, count, size_of::<T>())
    }

    /// A scalar of a type.
    ///
    /// # Safety
    /// The address is null or, as the handle's mode says, of the host's or of device memory.
    pub unsafe fn value(&self, address: *const c_void, kind: Kind) -> Result<Value> {
        if address.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        with_type!(kind, T => {
            let memory = Memory(address as usize);
            if self.device_pointers {
                self.elements(address.cast::<T>(), 1)?;
                // SAFETY: it was checked.
                return Ok(Box::new(move || unsafe { memory.read::<T>(0) }.value()));
            }
            // SAFETY: caller.
            let value = unsafe { memory.read::<T>(0) }.value();
            Ok(Box::new(move || value))
        })
    }

    /// A place for a result: the host's or device memory, as the handle's mode says.
    pub fn place<T>(&self, address: *mut T) -> Result<Memory> {
        match (address.is_null(), self.device_pointers) {
            (true, _) => Err(Status::INVALID_VALUE),
            (_, true) => self.elements(address.cast_const(), 1),
            _ => Ok(Memory(address as usize)),
        }
    }

    /// Runs work in the stream's order.
    pub fn run(&self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        Ok(self.stream.run(work)?)
    }

    /// The same, and waits for it.
    pub fn run_now(&self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        self.run(work)?;
        Ok(self.stream.synchronize()?)
    }

    /// Runs work whose results go to the host, if the handle's mode says so: the call waits for them.
    pub fn run_for_results(&self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        match self.device_pointers {
            true => self.run(work),
            false => self.run_now(work),
        }
    }
}

/// `cusparseOperation_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Whether rows and columns change places.
    pub transposed: bool,
    /// Whether elements become their conjugates.
    pub conjugated: bool,
}

impl Operation {
    /// The operation of a number.
    pub fn of(number: c_int) -> Result<Operation> {
        let of = |transposed, conjugated| Operation {
            transposed,
            conjugated,
        };
        match number {
            0 => Ok(of(false, false)),
            1 => Ok(of(true, false)),
            2 => Ok(of(true, true)),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// An element's place and value.
    pub fn apply<W: Work>(self, row: usize, column: usize, value: W) -> (usize, usize, W) {
        let value = if self.conjugated { value.conj() } else { value };
        match self.transposed {
            true => (column, row, value),
            false => (row, column, value),
        }
    }

    /// Rows and columns of the result.
    pub fn shape(self, (rows, columns): (usize, usize)) -> (usize, usize) {
        match self.transposed {
            true => (columns, rows),
            false => (rows, columns),
        }
    }
}
