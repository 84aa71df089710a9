//! Operations on elements of any type, computed with another: `cublasGemmEx`, `cublasHgemm`, `cublasDotEx`.
//!
//! Elements are converted as a whole to the type that the computation has, and the result back.

use std::ffi::{c_int, c_longlong, c_void};

use cuda_library::elements::{Complex32, Complex64, Kind, Stored};
use cuda_library::with_type;

use crate::call::{Call, Target, size, span};
use crate::level3::general::Product;
use crate::operands::Matrix;
use crate::product::multiply;
use crate::scalar::Scalar;
use crate::status::{Result, Status, answer};

fn kind(number: c_int) -> Result<Kind> {
    Kind::of(number).ok_or(Status::NOT_SUPPORTED)
}

/// The types of a product.
#[derive(Clone, Copy)]
struct Kinds {
    a: Kind,
    b: Kind,
    c: Kind,
    scalar: Kind,
}

impl Kinds {
    /// The types that `cublasComputeType_t` and those of the matrices make, if cuBLAS has them together.
    fn of(a: c_int, b: c_int, c: c_int, compute: c_int) -> Result<Kinds> {
        let (a, b, c) = (kind(a)?, kind(b)?, kind(c)?);
        let scalar = match (compute, a, c) {
            (64 | 65, Kind::F16, Kind::F16) => Kind::F16,
            (68 | 69 | 74 | 75 | 77 | 78, Kind::C32, Kind::C32) => Kind::C32,
            (68 | 69, Kind::F16, Kind::F16 | Kind::F32) => Kind::F32,
            (68 | 69, Kind::Bf16, Kind::Bf16 | Kind::F32) => Kind::F32,
            (68 | 69, Kind::I8, Kind::F32) => Kind::F32,
            (68 | 69 | 74 | 75 | 77 | 78, Kind::F32, Kind::F32) => Kind::F32,
            (70 | 71, Kind::F64, Kind::F64) => Kind::F64,
            (70 | 71, Kind::C64, Kind::C64) => Kind::C64,
            (72 | 73, Kind::I8, Kind::I32) => Kind::I32,
            _ => return Err(Status::NOT_SUPPORTED),
        };
        match a == b {
            true => Ok(Kinds { a, b, c, scalar }),
            false => Err(Status::NOT_SUPPORTED),
        }
    }
}

/// A scalar's value, to be read when the work runs.
type Value = Box<dyn Fn() -> Complex64 + Send>;

/// A scalar of some type.
unsafe fn value(call: &Call, address: *const c_void, kind: Kind) -> Result<Value> {
    with_type!(kind, T => {
        // SAFETY: caller.
        let factor = unsafe { call.factor(address.cast::<T>()) }?;
        Ok(Box::new(move || factor.get().value()))
    })
}

/// A batch's matrix of elements of some type: where each is.
#[derive(Clone, Copy)]
enum Places {
    /// The first, and the distance in bytes.
    Strided(Target<u8>, isize),
    /// Addresses in device memory.
    Listed(Target<*mut u8>),
}

impl Places {
    fn strided(
        call: &Call,
        first: *const c_void,
        step: c_longlong,
        kind: Kind,
        (span, count): (usize, usize),
    ) -> Result<Places> {
        let step = isize::try_from(step).ok();
        let step = step.and_then(|step| step.checked_mul(kind.bytes() as isize));
        let step = step.ok_or(Status::INVALID_VALUE)?;
        let first = first.cast::<u8>();
        let last = step.checked_mul(count.saturating_sub(1) as isize);
        let last = last.ok_or(Status::INVALID_VALUE)?;
        let bytes = span * kind.bytes();
        call.elements(first.wrapping_offset(last), bytes)?;
        Ok(Places::Strided(call.elements(first, bytes)?, step))
    }

    fn get(&self, index: usize) -> *mut u8 {
        match self {
            Places::Strided(first, step) => first.0.wrapping_offset(index as isize * step),
            // SAFETY: the list was checked as a whole.
            Places::Listed(list) => unsafe { list.read(index) },
        }
    }
}

/// The elements of a stored matrix, as the computation's type, without gaps.
fn unpack<S: Stored, W: Scalar + Stored>(place: *mut u8, shape: Matrix<u8>) -> Vec<W> {
    let mut elements = Vec::with_capacity(shape.rows * shape.columns);
    for column in 0..shape.columns {
        let begin = place
            .cast::<S>()
            .wrapping_offset(column as isize * shape.column_step);
        // SAFETY: the matrix was checked as a whole. Addresses in lists may be misaligned.
        let row = |row| unsafe { begin.add(row).read_unaligned() };
        elements.extend((0..shape.rows).map(|index| W::of_value(row(index).value())));
    }
    elements
}

/// Puts elements without gaps into a stored matrix.
fn pack<S: Stored, W: Scalar + Stored>(elements: &[W], place: *mut u8, shape: Matrix<u8>) {
    for column in 0..shape.columns {
        let begin = place
            .cast::<S>()
            .wrapping_offset(column as isize * shape.column_step);
        for row in 0..shape.rows {
            let value = elements[column * shape.rows + row].value();
            // SAFETY: as in `unpack`.
            unsafe { begin.add(row).write_unaligned(S::of_value(value)) };
        }
    }
}

/// A product of matrices with elements of several types.
struct Mixed {
    product: Product,
    kinds: Kinds,
    shapes: (Matrix<u8>, Matrix<u8>, Matrix<u8>),
    places: (Places, Places, Places),
    count: usize,
}

impl Mixed {
    fn compute(&self, alpha: Complex64, beta: Complex64) {
        for index in 0..self.count {
            match self.kinds.scalar {
                Kind::F16 | Kind::F32 => self.compute_one::<f32>(index, alpha, beta),
                Kind::C32 => self.compute_one::<Complex32>(index, alpha, beta),
                Kind::C64 => self.compute_one::<Complex64>(index, alpha, beta),
                // Sums of products of small integers are exact in 64 bits.
                _ => self.compute_one::<f64>(index, alpha, beta),
            }
        }
    }

    fn compute_one<W: Scalar + Stored>(&self, index: usize, alpha: Complex64, beta: Complex64) {
        let unpacked = |kind: Kind, places: &Places, shape: Matrix<u8>| -> Vec<W> {
            with_type!(kind, S => unpack::<S, W>(places.get(index), shape))
        };
        let (a_shape, b_shape, c_shape) = self.shapes;
        let mut a = unpacked(self.kinds.a, &self.places.0, a_shape);
        let mut b = unpacked(self.kinds.b, &self.places.1, b_shape);
        let mut c = match beta == Complex64::ZERO {
            true => vec![W::zero(); c_shape.rows * c_shape.columns],
            false => unpacked(self.kinds.c, &self.places.2, c_shape),
        };
        let a = Matrix::over(&mut a, a_shape.rows, a_shape.columns);
        let b = Matrix::over(&mut b, b_shape.rows, b_shape.columns);
        let target = Matrix::over(&mut c, c_shape.rows, c_shape.columns);
        let (a, b) = self.product.operands(a, b);
        multiply(W::of_value(alpha), a, b, W::of_value(beta), target);
        with_type!(self.kinds.c, S => pack::<S, W>(&c, self.places.2.get(index), c_shape));
    }
}

/// A matrix argument: its address, type, distance of columns and, in a batch, of matrices.
type Operand = (*const c_void, c_int, c_int, c_longlong);

unsafe fn run(
    handle: *mut c_void,
    operations: (c_int, c_int),
    sizes: (c_int, c_int, c_int),
    (alpha, beta): (*const c_void, *const c_void),
    [a, b, c]: [Operand; 3],
    (count, compute): (c_int, c_int),
    listed: bool,
) -> c_int {
    let update = || {
        let call = Call::of(handle)?;
        let kinds = Kinds::of(a.1, b.1, c.1, compute)?;
        let product = Product::of(operations, sizes)?;
        let shapes = product.shapes::<u8, u8, u8>(&call, (a.2, b.2, c.2))?;
        let count = size(count)?;
        // SAFETY: caller.
        let alpha = unsafe { value(&call, alpha, kinds.scalar) }?;
        // SAFETY: caller.
        let beta = unsafe { value(&call, beta, kinds.scalar) }?;
        if count == 0 || span(&shapes.2) == 0 {
            return Ok(());
        }
        let place = |operand: Operand, kind, shape| match listed {
            true => Ok(Places::Listed(call.elements(operand.0.cast(), count)?)),
            false => Places::strided(&call, operand.0, operand.3, kind, (span(shape), count)),
        };
        let places = (
            place(a, kinds.a, &shapes.0)?,
            place(b, kinds.b, &shapes.1)?,
            place(c, kinds.c, &shapes.2)?,
        );
        let mixed = Mixed {
            product,
            kinds,
            shapes,
            places,
            count,
        };
        call.run(move || mixed.compute(alpha(), beta()))
    };
    answer(update())
}

/// C := α op(A) op(B) + βC.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn gemm_ex(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const c_void,
    a: *const c_void,
    a_kind: c_int,
    a_leading: c_int,
    b: *const c_void,
    b_kind: c_int,
    b_leading: c_int,
    beta: *const c_void,
    c: *mut c_void,
    c_kind: c_int,
    c_leading: c_int,
    compute: c_int,
    _algorithm: c_int,
) -> c_int {
    let (operations, sizes) = ((a_operation, b_operation), (rows, columns, inner));
    let operands = [
        (a, a_kind, a_leading, 0),
        (b, b_kind, b_leading, 0),
        (c.cast_const(), c_kind, c_leading, 0),
    ];
    // SAFETY: caller.
    unsafe {
        run(
            handle,
            operations,
            sizes,
            (alpha, beta),
            operands,
            (1, compute),
            false,
        )
    }
}

/// The same, computed in `float`.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn sgemm_ex(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const f32,
    a: *const c_void,
    a_kind: c_int,
    a_leading: c_int,
    b: *const c_void,
    b_kind: c_int,
    b_leading: c_int,
    beta: *const f32,
    c: *mut c_void,
    c_kind: c_int,
    c_leading: c_int,
) -> c_int {
    /// `CUBLAS_COMPUTE_32F`.
    const IN_FLOAT: c_int = 68;
    let (operations, sizes) = ((a_operation, b_operation), (rows, columns, inner));
    let operands = [
        (a, a_kind, a_leading, 0),
        (b, b_kind, b_leading, 0),
        (c.cast_const(), c_kind, c_leading, 0),
    ];
    let (factors, once) = ((alpha.cast(), beta.cast()), (1, IN_FLOAT));
    // SAFETY: caller.
    unsafe { run(handle, operations, sizes, factors, operands, once, false) }
}

/// The same for matrices at equal distances.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn gemm_strided_batched_ex(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const c_void,
    a: *const c_void,
    a_kind: c_int,
    a_leading: c_int,
    a_step: c_longlong,
    b: *const c_void,
    b_kind: c_int,
    b_leading: c_int,
    b_step: c_longlong,
    beta: *const c_void,
    c: *mut c_void,
    c_kind: c_int,
    c_leading: c_int,
    c_step: c_longlong,
    count: c_int,
    compute: c_int,
    _algorithm: c_int,
) -> c_int {
    let (operations, sizes) = ((a_operation, b_operation), (rows, columns, inner));
    let operands = [
        (a, a_kind, a_leading, a_step),
        (b, b_kind, b_leading, b_step),
        (c.cast_const(), c_kind, c_leading, c_step),
    ];
    // SAFETY: caller.
    unsafe {
        run(
            handle,
            operations,
            sizes,
            (alpha, beta),
            operands,
            (count, compute),
            false,
        )
    }
}

/// The same for matrices whose addresses lie in device memory.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn gemm_batched_ex(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const c_void,
    a: *const *const c_void,
    a_kind: c_int,
    a_leading: c_int,
    b: *const *const c_void,
    b_kind: c_int,
    b_leading: c_int,
    beta: *const c_void,
    c: *const *mut c_void,
    c_kind: c_int,
    c_leading: c_int,
    count: c_int,
    compute: c_int,
    _algorithm: c_int,
) -> c_int {
    let (operations, sizes) = ((a_operation, b_operation), (rows, columns, inner));
    let operands = [
        (a.cast(), a_kind, a_leading, 0),
        (b.cast(), b_kind, b_leading, 0),
        (c.cast(), c_kind, c_leading, 0),
    ];
    // SAFETY: caller.
    unsafe {
        run(
            handle,
            operations,
            sizes,
            (alpha, beta),
            operands,
            (count, compute),
            true,
        )
    }
}

/// `cublasComputeType_t` and `cudaDataType` of products of half precision.
const HALF: (c_int, c_int) = (64, 2);

/// C := α op(A) op(B) + βC in half precision.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn hgemm(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const c_void,
    a: *const c_void,
    a_leading: c_int,
    b: *const c_void,
    b_leading: c_int,
    beta: *const c_void,
    c: *mut c_void,
    c_leading: c_int,
) -> c_int {
    let (compute, kind) = HALF;
    // SAFETY: caller.
    unsafe {
        gemm_ex(
            handle,
            a_operation,
            b_operation,
            rows,
            columns,
            inner,
            alpha,
            a,
            kind,
            a_leading,
            b,
            kind,
            b_leading,
            beta,
            c,
            kind,
            c_leading,
            compute,
            -1,
        )
    }
}

/// The same for matrices at equal distances.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn hgemm_strided_batched(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const c_void,
    a: *const c_void,
    a_leading: c_int,
    a_step: c_longlong,
    b: *const c_void,
    b_leading: c_int,
    b_step: c_longlong,
    beta: *const c_void,
    c: *mut c_void,
    c_leading: c_int,
    c_step: c_longlong,
    count: c_int,
) -> c_int {
    let (compute, kind) = HALF;
    // SAFETY: caller.
    unsafe {
        gemm_strided_batched_ex(
            handle,
            a_operation,
            b_operation,
            rows,
            columns,
            inner,
            alpha,
            a,
            kind,
            a_leading,
            a_step,
            b,
            kind,
            b_leading,
            b_step,
            beta,
            c,
            kind,
            c_leading,
            c_step,
            count,
            compute,
            -1,
        )
    }
}

/// The same for matrices whose addresses lie in device memory.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn hgemm_batched(
    handle: *mut c_void,
    a_operation: c_int,
    b_operation: c_int,
    rows: c_int,
    columns: c_int,
    inner: c_int,
    alpha: *const c_void,
    a: *const *const c_void,
    a_leading: c_int,
    b: *const *const c_void,
    b_leading: c_int,
    beta: *const c_void,
    c: *const *mut c_void,
    c_leading: c_int,
    count: c_int,
) -> c_int {
    let (compute, kind) = HALF;
    // SAFETY: caller.
    unsafe {
        gemm_batched_ex(
            handle,
            a_operation,
            b_operation,
            rows,
            columns,
            inner,
            alpha,
            a,
            kind,
            a_leading,
            b,
            kind,
            b_leading,
            beta,
            c,
            kind,
            c_leading,
            count,
            compute,
            -1,
        )
    }
}

/// The sum of x's and y's products, of any types of floating point.
///
/// # Safety
/// The addresses are as cuBLAS wants them.
pub unsafe extern "C" fn dot_ex(
    handle: *mut c_void,
    count: c_int,
    x: *const c_void,
    x_kind: c_int,
    x_step: c_int,
    y: *const c_void,
    y_kind: c_int,
    y_step: c_int,
    result: *mut c_void,
    result_kind: c_int,
    _execution: c_int,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        let kinds = [kind(x_kind)?, kind(y_kind)?, kind(result_kind)?];
        if kinds.iter().any(|kind| *kind != kinds[0]) || matches!(kinds[0], Kind::I8 | Kind::I32) {
            return Err(Status::NOT_SUPPORTED);
        }
        let count = count.max(0);
        with_type!(kinds[0], T => {
            // SAFETY: caller.
            let result = unsafe { call.place(result.cast::<T>()) }?;
            let x = call.vector(x.cast::<T>(), count, x_step)?;
            let y = call.vector(y.cast::<T>(), count, y_step)?;
            call.run_for_results(move || {
                let products = x.iter().zip(y.iter()).map(|(x, y)| x.value() * y.value());
                // SAFETY: the place is the program's for the result.
                unsafe { result.write(0, T::of_value(products.sum())) }
            })
        })
    };
    answer(compute())
}
