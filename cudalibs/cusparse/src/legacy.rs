//! Functions that take arrays in place of descriptors: counts, conversions, sorting, incomplete factors.

use std::ffi::{c_int, c_void};

use cuda_library::elements::Kind;
use cuda_library::handles::Handles;
use parking_lot::Mutex;

use crate::call::{Call, Work, kind, size};
use crate::descriptors::{
    Described, Description, Format, Indices, SparseMatrix, Values, index_base,
};
use crate::management::place;
use crate::products::some;
use crate::status::{Result, Status, answer};

/// Indices of 32 bits.
fn indices(address: *const c_int, base: usize) -> Indices {
    Indices {
        address: address as usize,
        is_wide: false,
        base,
    }
}

/// A matrix of arrays, row by row.
fn matrix(
    (rows, columns, count): (c_int, c_int, c_int),
    offsets: *const c_int,
    columns_of: *const c_int,
    values: (*const c_void, Kind),
    base: usize,
) -> Result<SparseMatrix> {
    Ok(SparseMatrix {
        format: Format::Rows,
        shape: (size(rows)?, size(columns)?),
        count: size(count)?,
        offsets: indices(offsets, base),
        indices: indices(columns_of, base),
        values: Values {
            address: values.0 as usize,
            kind: values.1,
        },
        is_upper: false,
        is_unit: false,
        batch: 1,
        distances: (0, 0),
    })
}

/// Counts what is not zero in each row or column of a dense matrix, and in all.
pub extern "C" fn count<T: Work>(
    handle: *mut c_void,
    direction: c_int,
    rows: c_int,
    columns: c_int,
    description: *const c_void,
    a: *const T,
    leading: c_int,
    counts: *mut c_int,
    total: *mut c_int,
) -> c_int {
    let count = || {
        let call = Call::of(handle)?;
        Description::of(description)?;
        let (rows, columns, leading) = (size(rows)?, size(columns)?, size(leading)?);
        if leading < rows.max(1) || !matches!(direction, 0 | 1) {
            return Err(Status::INVALID_VALUE);
        }
        let elements = if rows == 0 || columns == 0 {
            0
        } else {
            (columns - 1) * leading + rows
        };
        let a = call.elements(a, elements)?;
        let by_column = direction == 1;
        let counts = call.elements(counts.cast_const(), if by_column { columns } else { rows })?;
        let total = call.place(total)?;
        call.run_for_results(move || {
            let mut all = vec![0; if by_column { columns } else { rows }];
            for column in 0..columns {
                for row in 0..rows {
                    // SAFETY: the matrix was checked as a whole.
                    let value: T = unsafe { a.read(column * leading + row) };
                    if !value.is_zero() {
                        all[if by_column { column } else { row }] += 1;
                    }
                }
            }
            // SAFETY: the places were checked, or are the program's for the result.
            unsafe {
                total.write(0, all.iter().sum::<c_int>());
                for (index, one) in all.into_iter().enumerate() {
                    counts.write(index, one);
                }
            }
        })
    };
    answer(count())
}

/// Rows' first elements of rows of coordinates.
pub extern "C" fn coordinates_to_rows(
    handle: *mut c_void,
    rows_of: *const c_int,
    count: c_int,
    rows: c_int,
    offsets: *mut c_int,
    base: c_int,
) -> c_int {
    let convert = || {
        let call = Call::of(handle)?;
        let (count, rows, base) = (size(count)?, size(rows)?, index_base(base)?);
        let (source, target) = (indices(rows_of, base), indices(offsets, base));
        source.check(&call, count)?;
        target.check(&call, rows + 1)?;
        call.run(move || {
            let mut begins = vec![0; rows + 1];
            let known = (0..count)
                .map(|number| source.get(number))
                .filter(|row| *row < rows);
            known.for_each(|row| begins[row + 1] += 1);
            let mut sum = 0;
            for (row, one) in begins.into_iter().enumerate() {
                sum += one;
                target.set(row, sum);
            }
        })
    };
    answer(convert())
}

/// Rows of coordinates, of rows' first elements.
pub extern "C" fn rows_to_coordinates(
    handle: *mut c_void,
    offsets: *const c_int,
    count: c_int,
    rows: c_int,
    rows_of: *mut c_int,
    base: c_int,
) -> c_int {
    let convert = || {
        let call = Call::of(handle)?;
        let (count, rows, base) = (size(count)?, size(rows)?, index_base(base)?);
        let (source, target) = (indices(offsets, base), indices(rows_of, base));
        source.check(&call, rows + 1)?;
        target.check(&call, count)?;
        call.run(move || {
            for row in 0..rows {
                let end = source.get(row + 1).min(count);
                (source.get(row)..end).for_each(|number| target.set(number, row));
            }
        })
    };
    answer(convert())
}

/// Memory for `csr2csc`.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn transposition_size(
    handle: *mut c_void,
    _rows: c_int,
    _columns: c_int,
    _count: c_int,
    _values: *const c_void,
    _offsets: *const c_int,
    _indices: *const c_int,
    _to: *mut c_void,
    _to_offsets: *mut c_int,
    _to_indices: *mut c_int,
    _kind: c_int,
    _action: c_int,
    _base: c_int,
    _algorithm: c_int,
    bytes: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { some(handle, bytes) }
}

/// A matrix row by row becomes one column by column.
pub extern "C" fn transpose(
    handle: *mut c_void,
    rows: c_int,
    columns: c_int,
    count: c_int,
    values: *const c_void,
    offsets: *const c_int,
    columns_of: *const c_int,
    to: *mut c_void,
    to_offsets: *mut c_int,
    to_indices: *mut c_int,
    kind_of: c_int,
    action: c_int,
    base: c_int,
    _algorithm: c_int,
    _memory: *mut c_void,
) -> c_int {
    let convert = || {
        let call = Call::of(handle)?;
        let (kind, base) = (kind(kind_of)?, index_base(base)?);
        let has_values = match action {
            0 => false,
            1 => true,
            _ => return Err(Status::INVALID_VALUE),
        };
        let a = matrix(
            (rows, columns, count),
            offsets,
            columns_of,
            (values, kind),
            base,
        )?;
        a.offsets.check(&call, a.shape.0 + 1)?;
        a.indices.check(&call, a.count)?;
        let (begins, rows_of) = (indices(to_offsets, base), indices(to_indices, base));
        begins.check(&call, a.shape.1 + 1)?;
        rows_of.check(&call, a.count)?;
        let target = Values {
            address: to as usize,
            kind,
        };
        if has_values {
            a.values.check(&call, a.count)?;
            target.check(&call, a.count)?;
        }
        call.run(move || {
            let mut lists = vec![Vec::new(); a.shape.1];
            a.visit(|row, column, number| lists[column].push((row, number)));
            let mut next = 0;
            for (column, list) in lists.into_iter().enumerate() {
                begins.set(column, next);
                for (row, number) in list {
                    rows_of.set(next, row);
                    if has_values {
                        target.set(
                            next,
                            a.values.get::<cuda_library::elements::Complex64>(number),
                        );
                    }
                    next += 1;
                }
            }
            begins.set(a.shape.1, next);
        })
    };
    answer(convert())
}

/// Writes 0, 1, 2 and so on.
pub extern "C" fn identity(handle: *mut c_void, count: c_int, to: *mut c_int) -> c_int {
    let write = || {
        let call = Call::of(handle)?;
        let (count, to) = (size(count)?, indices(to, 0));
        to.check(&call, count)?;
        call.run(move || (0..count).for_each(|number| to.set(number, number)))
    };
    answer(write())
}

/// Memory for `csrsort`.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn sort_size(
    handle: *mut c_void,
    _rows: c_int,
    _columns: c_int,
    _count: c_int,
    _offsets: *const c_int,
    _indices: *const c_int,
    bytes: *mut usize,
) -> c_int {
    // SAFETY: caller.
    unsafe { some(handle, bytes) }
}

/// Sorts each row by columns, and a list of numbers along with it.
pub extern "C" fn sort(
    handle: *mut c_void,
    rows: c_int,
    columns: c_int,
    count: c_int,
    description: *const c_void,
    offsets: *const c_int,
    columns_of: *mut c_int,
    numbers: *mut c_int,
    _memory: *mut c_void,
) -> c_int {
    let sort = || {
        let call = Call::of(handle)?;
        let base = Description::copy_of(description)?.base;
        let a = matrix(
            (rows, columns, count),
            offsets,
            columns_of,
            (std::ptr::null(), Kind::F32),
            base,
        )?;
        a.offsets.check(&call, a.shape.0 + 1)?;
        a.indices.check(&call, a.count)?;
        let moved = (!numbers.is_null()).then(|| indices(numbers, 0));
        if let Some(moved) = moved {
            moved.check(&call, a.count)?;
        }
        call.run(move || {
            for row in 0..a.shape.0 {
                let places = a.offsets.get(row)..a.offsets.get(row + 1).min(a.count);
                let element = |place| {
                    (
                        a.indices.get(place),
                        moved.map_or(0, |moved| moved.get(place)),
                    )
                };
                let mut elements: Vec<_> = places.clone().map(element).collect();
                elements.sort_by_key(|element| element.0);
                for (place, (column, number)) in places.zip(elements) {
                    a.indices.set(place, column);
                    if let Some(moved) = moved {
                        moved.set(place, number);
                    }
                }
            }
        })
    };
    answer(sort())
}

/// The rows of zero pivots that incomplete factors had, by their handles.
static FACTORS: Handles<Mutex<Option<usize>>> = Handles::starting_at(0x59A8_0000);

/// Makes a handle for incomplete factors.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn create_factors(handle: *mut *mut c_void) -> c_int {
    // SAFETY: caller.
    answer(
        unsafe { place(handle) }.map(|place| *place = FACTORS.add(Mutex::new(None)) as *mut c_void),
    )
}

/// Destroys it.
pub extern "C" fn destroy_factors(handle: *mut c_void) -> c_int {
    let gone = FACTORS.remove(handle as usize);
    answer(gone.map(drop).ok_or(Status::INVALID_VALUE))
}

/// Memory for `csrilu02`.
///
/// # Safety
/// The addresses are as cuSPARSE wants them.
pub unsafe extern "C" fn factor_size<T: Work>(
    handle: *mut c_void,
    _order: c_int,
    _count: c_int,
    _description: *const c_void,
    _values: *mut T,
    _offsets: *const c_int,
    _indices: *const c_int,
    _factors: *mut c_void,
    bytes: *mut c_int,
) -> c_int {
    let get = || {
        Call::of(handle)?;
        // SAFETY: caller.
        *unsafe { place(bytes) }? = size_of::<f64>() as c_int;
        Ok(())
    };
    answer(get())
}

/// Prepares `csrilu02`: there is nothing to prepare.
pub extern "C" fn prepare_factors<T: Work>(
    handle: *mut c_void,
    _order: c_int,
    _count: c_int,
    _description: *const c_void,
    _values: *const T,
    _offsets: *const c_int,
    _indices: *const c_int,
    factors: *mut c_void,
    _policy: c_int,
    _memory: *mut c_void,
) -> c_int {
    let prepare = || {
        Call::of(handle)?;
        FACTORS
            .get(factors as usize)
            .map(drop)
            .ok_or(Status::INVALID_VALUE)
    };
    answer(prepare())
}

/// Incomplete factors without pivots, in the matrix's place.
pub extern "C" fn factor<T: Work>(
    handle: *mut c_void,
    order: c_int,
    count: c_int,
    description: *const c_void,
    values: *mut T,
    offsets: *const c_int,
    columns_of: *const c_int,
    factors: *mut c_void,
    _policy: c_int,
    _memory: *mut c_void,
) -> c_int {
    let compute = || {
        let call = Call::of(handle)?;
        let base = Description::copy_of(description)?.base;
        let kind = match size_of::<T>() {
            4 => Kind::F32,
            _ => Kind::F64,
        };
        let shape = (order, order, count);
        let a = matrix(
            shape,
            offsets,
            columns_of,
            (values.cast_const().cast(), kind),
            base,
        )?;
        a.check(&call)?;
        let factors = FACTORS.get(factors as usize).ok_or(Status::INVALID_VALUE)?;
        call.run(move || *factors.lock() = factor_rows::<T>(&a).map(|row| row + base))
    };
    answer(compute())
}

/// Row by row (the IKJ form of Gauss's elimination), on the places that there are. Returns the first zero pivot.
fn factor_rows<T: Work>(a: &SparseMatrix) -> Option<usize> {
    let mut rows = vec![Vec::new(); a.shape.0];
    a.visit(|row, column, number| rows[row].push((column, number)));
    rows.iter_mut().for_each(|row| row.sort_unstable());
    let find = |row: &[(usize, usize)], column: usize| {
        let found = row.binary_search_by_key(&column, |element| element.0);
        found.ok().map(|index| row[index].1)
    };
    let get = |number| a.values.get::<T>(number);
    let mut zero = None;
    for row in 0..rows.len() {
        for &(column, number) in rows[row].iter().take_while(|element| element.0 < row) {
            let pivot = find(&rows[column], column).map_or(T::default(), get);
            if pivot.is_zero() {
                continue;
            }
            let factor = get(number) / pivot;
            a.values.set(number, factor);
            for &(other, from) in rows[column].iter().filter(|element| element.0 > column) {
                if let Some(place) = find(&rows[row], other) {
                    a.values.set(place, get(place) - factor * get(from));
                }
            }
        }
        let pivot = find(&rows[row], row).map_or(T::default(), get);
        if pivot.is_zero() {
            zero = zero.or(Some(row));
        }
    }
    zero
}

/// Where the first zero pivot was: −1 for none.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn zero_pivot(
    handle: *mut c_void,
    factors: *mut c_void,
    row: *mut c_int,
) -> c_int {
    let get = || {
        let call = Call::of(handle)?;
        let factors = FACTORS.get(factors as usize).ok_or(Status::INVALID_VALUE)?;
        let place = call.place(row)?;
        // What was enqueued must be complete.
        call.run_now(|| ())?;
        let zero = *factors.lock();
        // SAFETY: the place was checked, or is the program's for the result.
        unsafe { place.write(0, zero.map_or(-1, |row| row as c_int)) };
        zero.map_or(Ok(()), |_| Err(Status::ZERO_PIVOT))
    };
    answer(get())
}
