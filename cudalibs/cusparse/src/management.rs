//! Handles and descriptors.

use std::ffi::{c_int, c_void};
use std::mem::transmute;

use cuda_library::cudart::foreign_stream;
use cuda_library::version::Version;

use crate::call::{FRONT, HANDLES, Settings, create as create_own, kind, settings, size};
use crate::descriptors::{
    DenseMatrix, DenseVector, Described, Description, Format, Indices, SparseMatrix, SparseVector,
    Values, index_base,
};
use crate::status::{Result, Status, answer};

/// The version of cuSPARSE that we stand in for.
const VERSION: Version = Version([12, 5, 10]);

/// A place that the program gives for a result.
///
/// # Safety
/// The address is null or valid.
pub unsafe fn place<'a, T>(address: *mut T) -> Result<&'a mut T> {
    // SAFETY: caller.
    unsafe { address.as_mut() }.ok_or(Status::INVALID_VALUE)
}

/// Makes a handle. NVIDIA's gets the stream that is our default stream there.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create(handle: *mut *mut c_void) -> c_int {
    type Create = unsafe extern "C" fn(*mut *mut c_void) -> c_int;
    // SAFETY: the function has this type in cuSPARSE.
    unsafe {
        if let Some(theirs) = FRONT.function(c"cusparseCreate") {
            let code = transmute::<*const c_void, Create>(theirs)(handle);
            return if code == 0 {
                set_stream(*handle, std::ptr::null_mut())
            } else {
                code
            };
        }
    }
    let create = || {
        // SAFETY: caller.
        *unsafe { place(handle) }? = create_own()?;
        Ok(())
    };
    answer(create())
}

/// Destroys a handle, after its work.
pub extern "C" fn destroy(handle: *mut c_void) -> c_int {
    let handle = HANDLES.remove(handle as usize);
    answer(handle.map(drop).ok_or(Status::NOT_INITIALIZED))
}

fn set(handle: *mut c_void, change: impl FnOnce(&mut Settings)) -> c_int {
    answer(settings(handle).map(|settings| change(&mut settings.lock())))
}

/// Chooses the stream of a handle.
///
/// # Safety
/// The handle is one of this library or of NVIDIA's.
pub unsafe extern "C" fn set_stream(handle: *mut c_void, stream: *mut c_void) -> c_int {
    type SetStream = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int;
    // SAFETY: the function has this type in cuSPARSE.
    unsafe {
        if let Some(theirs) = FRONT.function(c"cusparseSetStream") {
            let Some(stream) = foreign_stream(stream as usize) else {
                return Status::INVALID_VALUE.0;
            };
            return transmute::<*const c_void, SetStream>(theirs)(handle, stream);
        }
    }
    set(handle, |settings| settings.stream = stream as usize)
}

/// The stream of a handle.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_stream(handle: *mut c_void, stream: *mut *mut c_void) -> c_int {
    let get = || {
        // SAFETY: caller.
        *unsafe { place(stream) }? = settings(handle)?.lock().stream as *mut c_void;
        Ok(())
    };
    answer(get())
}

/// Says where scalars lie.
pub extern "C" fn set_pointer_mode(handle: *mut c_void, mode: c_int) -> c_int {
    match mode {
        0 | 1 => set(handle, |settings| settings.device_pointers = mode == 1),
        _ => Status::INVALID_VALUE.0,
    }
}

/// Where scalars lie.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_pointer_mode(handle: *mut c_void, mode: *mut c_int) -> c_int {
    let get = || {
        // SAFETY: caller.
        *unsafe { place(mode) }? = settings(handle)?.lock().device_pointers.into();
        Ok(())
    };
    answer(get())
}

/// The version.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_version(_handle: *mut c_void, version: *mut c_int) -> c_int {
    // SAFETY: caller.
    answer(unsafe { place(version) }.map(|place| *place = VERSION.number(1000)))
}

/// A handle for something, put where the program wants it.
unsafe fn add<T: Described>(handle: *mut *mut c_void, item: Result<T>) -> c_int {
    let add = || {
        // SAFETY: caller.
        let place = unsafe { place(handle) }?;
        *place = T::table().add(parking_lot::Mutex::new(item?)) as *mut c_void;
        Ok(())
    };
    answer(add())
}

/// Forgets something. Null is nothing to forget.
fn remove<T: Described>(handle: *const c_void) -> c_int {
    if handle.is_null() {
        return 0;
    }
    let gone = T::table().remove(handle as usize);
    answer(gone.map(drop).ok_or(Status::INVALID_VALUE))
}

/// Forgets a dense vector.
pub extern "C" fn destroy_dense_vector(handle: *const c_void) -> c_int {
    remove::<DenseVector>(handle)
}

/// Forgets a sparse vector.
pub extern "C" fn destroy_sparse_vector(handle: *const c_void) -> c_int {
    remove::<SparseVector>(handle)
}

/// Forgets a dense matrix.
pub extern "C" fn destroy_dense_matrix(handle: *const c_void) -> c_int {
    remove::<DenseMatrix>(handle)
}

/// Forgets a sparse matrix.
pub extern "C" fn destroy_sparse_matrix(handle: *const c_void) -> c_int {
    remove::<SparseMatrix>(handle)
}

/// Forgets a description.
pub extern "C" fn destroy_description(handle: *const c_void) -> c_int {
    remove::<Description>(handle)
}

fn values(address: *mut c_void, number: c_int) -> Result<Values> {
    Ok(Values {
        address: address as usize,
        kind: kind(number)?,
    })
}

/// Describes a dense vector.
///
/// # Safety
/// The address of the handle is null or valid.
pub unsafe extern "C" fn create_dense_vector(
    handle: *mut *mut c_void,
    count: i64,
    elements: *mut c_void,
    kind: c_int,
) -> c_int {
    let describe = || {
        Ok(DenseVector {
            size: size(count)?,
            values: values(elements, kind)?,
        })
    };
    // SAFETY: caller.
    unsafe { add(handle, describe()) }
}

/// Where a dense vector's elements are.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_vector_values(
    handle: *mut c_void,
    elements: *mut *mut c_void,
) -> c_int {
    let get = || {
        // SAFETY: caller.
        *unsafe { place(elements) }? = DenseVector::copy_of(handle)?.values.address as *mut c_void;
        Ok(())
    };
    answer(get())
}

/// Gives a dense vector other elements.
pub extern "C" fn set_vector_values(handle: *mut c_void, elements: *mut c_void) -> c_int {
    let vector = DenseVector::of(handle);
    answer(vector.map(|vector| vector.lock().values.address = elements as usize))
}

/// Describes a sparse vector.
///
/// # Safety
/// The address of the handle is null or valid.
pub unsafe extern "C" fn create_sparse_vector(
    handle: *mut *mut c_void,
    total: i64,
    count: i64,
    indices: *mut c_void,
    elements: *mut c_void,
    index_kind: c_int,
    base: c_int,
    kind: c_int,
) -> c_int {
    let describe = || {
        let (size, count) = (size(total)?, size(count)?);
        if count > size {
            return Err(Status::INVALID_VALUE);
        }
        let (indices, values) = (
            Indices::of(indices, index_kind, base)?,
            values(elements, kind)?,
        );
        Ok(SparseVector {
            size,
            count,
            indices,
            values,
        })
    };
    // SAFETY: caller.
    unsafe { add(handle, describe()) }
}

/// Describes a dense matrix.
///
/// # Safety
/// The address of the handle is null or valid.
pub unsafe extern "C" fn create_dense_matrix(
    handle: *mut *mut c_void,
    rows: i64,
    columns: i64,
    leading: i64,
    elements: *mut c_void,
    kind: c_int,
    order: c_int,
) -> c_int {
    let describe = || {
        let (shape, leading) = ((size(rows)?, size(columns)?), size(leading)?);
        let is_by_rows = match order {
            1 => false,
            2 => true,
            _ => return Err(Status::INVALID_VALUE),
        };
        if leading < if is_by_rows { shape.1 } else { shape.0 } {
            return Err(Status::INVALID_VALUE);
        }
        let values = values(elements, kind)?;
        Ok(DenseMatrix {
            shape,
            leading,
            is_by_rows,
            values,
            batch: 1,
            distance: 0,
        })
    };
    // SAFETY: caller.
    unsafe { add(handle, describe()) }
}

/// Says that a dense matrix is several.
pub extern "C" fn set_dense_batch(handle: *mut c_void, batch: c_int, distance: i64) -> c_int {
    let set = || {
        let (batch, distance) = (size(batch)?, size(distance)?);
        let matrix = DenseMatrix::of(handle)?;
        let mut matrix = matrix.lock();
        (matrix.batch, matrix.distance) = (batch, distance);
        Ok(())
    };
    answer(set())
}

/// Describes a sparse matrix.
fn sparse(
    format: Format,
    (rows, columns, count): (i64, i64, i64),
    offsets: Result<Indices>,
    indices: Result<Indices>,
    values: Result<Values>,
) -> Result<SparseMatrix> {
    Ok(SparseMatrix {
        format,
        shape: (size(rows)?, size(columns)?),
        count: size(count)?,
        offsets: offsets?,
        indices: indices?,
        values: values?,
        is_upper: false,
        is_unit: false,
        batch: 1,
        distances: (0, 0),
    })
}

/// Describes a sparse matrix, row by row.
///
/// # Safety
/// The address of the handle is null or valid.
pub unsafe extern "C" fn create_csr(
    handle: *mut *mut c_void,
    rows: i64,
    columns: i64,
    count: i64,
    offsets: *mut c_void,
    indices: *mut c_void,
    elements: *mut c_void,
    offset_kind: c_int,
    index_kind: c_int,
    base: c_int,
    kind: c_int,
) -> c_int {
    let offsets = Indices::of(offsets, offset_kind, base);
    let indices = Indices::of(indices, index_kind, base);
    let shape = (rows, columns, count);
    // SAFETY: caller.
    unsafe {
        add(
            handle,
            sparse(
                Format::Rows,
                shape,
                offsets,
                indices,
                values(elements, kind),
            ),
        )
    }
}

/// Describes a sparse matrix, column by column.
///
/// # Safety
/// The address of the handle is null or valid.
pub unsafe extern "C" fn create_csc(
    handle: *mut *mut c_void,
    rows: i64,
    columns: i64,
    count: i64,
    offsets: *mut c_void,
    indices: *mut c_void,
    elements: *mut c_void,
    offset_kind: c_int,
    index_kind: c_int,
    base: c_int,
    kind: c_int,
) -> c_int {
    let offsets = Indices::of(offsets, offset_kind, base);
    let indices = Indices::of(indices, index_kind, base);
    let shape = (rows, columns, count);
    // SAFETY: caller.
    unsafe {
        add(
            handle,
            sparse(
                Format::Columns,
                shape,
                offsets,
                indices,
                values(elements, kind),
            ),
        )
    }
}

/// Describes a sparse matrix by coordinates.
///
/// # Safety
/// The address of the handle is null or valid.
pub unsafe extern "C" fn create_coo(
    handle: *mut *mut c_void,
    rows: i64,
    columns: i64,
    count: i64,
    row_indices: *mut c_void,
    column_indices: *mut c_void,
    elements: *mut c_void,
    index_kind: c_int,
    base: c_int,
    kind: c_int,
) -> c_int {
    let offsets = Indices::of(row_indices, index_kind, base);
    let indices = Indices::of(column_indices, index_kind, base);
    let shape = (rows, columns, count);
    // SAFETY: caller.
    unsafe {
        add(
            handle,
            sparse(
                Format::Coordinates,
                shape,
                offsets,
                indices,
                values(elements, kind),
            ),
        )
    }
}

/// Gives a sparse matrix other memory.
pub extern "C" fn set_pointers(
    handle: *mut c_void,
    offsets: *mut c_void,
    indices: *mut c_void,
    elements: *mut c_void,
) -> c_int {
    let matrix = SparseMatrix::of(handle);
    answer(matrix.map(|matrix| {
        let mut matrix = matrix.lock();
        matrix.offsets.address = offsets as usize;
        matrix.indices.address = indices as usize;
        matrix.values.address = elements as usize;
    }))
}

/// Says that a sparse matrix is several.
pub extern "C" fn set_sparse_batch(
    handle: *mut c_void,
    batch: c_int,
    offsets: i64,
    elements: i64,
) -> c_int {
    let set = || {
        let (batch, distances) = (size(batch)?, (size(offsets)?, size(elements)?));
        let matrix = SparseMatrix::of(handle)?;
        let mut matrix = matrix.lock();
        (matrix.batch, matrix.distances) = (batch, distances);
        Ok(())
    };
    answer(set())
}

/// The size of a sparse matrix.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn get_size(
    handle: *const c_void,
    rows: *mut i64,
    columns: *mut i64,
    count: *mut i64,
) -> c_int {
    let get = || {
        let matrix = SparseMatrix::copy_of(handle)?;
        // SAFETY: caller.
        unsafe {
            *place(rows)? = matrix.shape.0 as i64;
            *place(columns)? = matrix.shape.1 as i64;
            *place(count)? = matrix.count as i64;
        }
        Ok(())
    };
    answer(get())
}

/// Where a sparse matrix's values are.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn get_matrix_values(
    handle: *mut c_void,
    elements: *mut *mut c_void,
) -> c_int {
    let get = || {
        // SAFETY: caller.
        *unsafe { place(elements) }? = SparseMatrix::copy_of(handle)?.values.address as *mut c_void;
        Ok(())
    };
    answer(get())
}

/// Gives a sparse matrix other values.
pub extern "C" fn set_matrix_values(handle: *mut c_void, elements: *mut c_void) -> c_int {
    let matrix = SparseMatrix::of(handle);
    answer(matrix.map(|matrix| matrix.lock().values.address = elements as usize))
}

/// Says which triangle of a sparse matrix counts, and whether its diagonal does.
///
/// # Safety
/// The address is null or of so many bytes.
pub unsafe extern "C" fn set_attribute(
    handle: *mut c_void,
    attribute: c_int,
    data: *const c_int,
    bytes: usize,
) -> c_int {
    let set = || {
        if data.is_null() || bytes != size_of::<c_int>() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: caller.
        let value = match unsafe { *data } {
            0 => false,
            1 => true,
            _ => return Err(Status::INVALID_VALUE),
        };
        let matrix = SparseMatrix::of(handle)?;
        let mut matrix = matrix.lock();
        match attribute {
            0 => matrix.is_upper = value,
            1 => matrix.is_unit = value,
            _ => return Err(Status::INVALID_VALUE),
        }
        Ok(())
    };
    answer(set())
}

/// Describes a matrix for older functions.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create_description(handle: *mut *mut c_void) -> c_int {
    // SAFETY: caller.
    unsafe { add(handle, Ok(Description::default())) }
}

macro_rules! settings_of_descriptions {
    ($($(#[$doc:meta])* $set:ident $get:ident: $field:ident, $most:literal;)*) => {$(
        $(#[$doc])*
        pub extern "C" fn $set(handle: *mut c_void, value: c_int) -> c_int {
            let set = || match value {
                0..=$most => Ok(Description::of(handle)?.lock().$field = value),
                _ => Err(Status::INVALID_VALUE),
            };
            answer(set())
        }

        /// What was set. 0 for what is none.
        pub extern "C" fn $get(handle: *const c_void) -> c_int {
            Description::copy_of(handle).map_or(0, |description| description.$field)
        }
    )*};
}

settings_of_descriptions! {
    /// `cusparseMatrixType_t`.
    set_kind get_kind: kind, 3;
    /// `cusparseFillMode_t`.
    set_fill get_fill: fill, 1;
    /// `cusparseDiagType_t`.
    set_diagonal get_diagonal: diagonal, 1;
}

/// The first index.
pub extern "C" fn set_base(handle: *mut c_void, base: c_int) -> c_int {
    let set = || {
        let base = index_base(base)?;
        Description::of(handle)?.lock().base = base;
        Ok(())
    };
    answer(set())
}

/// The first index. 0 for what is none.
pub extern "C" fn get_base(handle: *const c_void) -> c_int {
    Description::copy_of(handle).map_or(0, |description| description.base as c_int)
}
