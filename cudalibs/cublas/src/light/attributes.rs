//! Descriptors: records in memory of the program, which it may copy, and their attributes, each known by a number.

use std::ffi::{c_int, c_void};

use crate::status::{Result, Status, answer};

/// An attribute of a record: its number, and where it lies.
pub struct Attribute {
    number: c_int,
    offset: usize,
    size: usize,
}

/// A record behind a descriptor.
pub trait Record: Copy {
    /// What its first word is, so that other memory is noticed.
    const MARK: u32;
    /// The size of the program's record.
    const SIZE: usize;
    /// Its attributes.
    const ATTRIBUTES: &'static [Attribute];
}

/// Declares records: fields with their defaults, and the numbers of those that are attributes.
macro_rules! records {
    ($($(#[$doc:meta])* $name:ident($mark:literal, $words:literal) {
        $($(#[$field_doc:meta])* $field:ident: $type:ty = $default:expr, $number:literal;)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub struct $name {
            /// What says that it is one.
            pub(super) mark: u32,
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { mark: $mark, $($field: $default,)* }
            }
        }

        impl Record for $name {
            const MARK: u32 = $mark;
            const SIZE: usize = $words * 8;
            const ATTRIBUTES: &'static [Attribute] = &[$(Attribute {
                number: $number,
                offset: std::mem::offset_of!($name, $field),
                size: size_of::<$type>(),
            },)*];
        }

        const _: () = assert!(size_of::<$name>() <= $words * 8);
    )*};
}

// The sizes are those of CUDA 12's records, the numbers those of its attributes.
records! {
    /// `cublasLtMatmulDescOpaque_t`.
    Operation(0x4C74_0001, 32) {
        /// `cublasComputeType_t`.
        compute: i32 = 68, 0;
        /// The type of α and β.
        scale: i32 = 0, 1;
        /// `cublasLtPointerMode_t`.
        pointers: i32 = 0, 2;
        /// `cublasOperation_t` of A.
        a: i32 = 0, 3;
        /// Of B.
        b: i32 = 0, 4;
        /// Of C.
        c: i32 = 0, 5;
        /// `cublasFillMode_t`.
        fill: i32 = 2, 6;
        /// `cublasLtEpilogue_t`.
        epilogue: u32 = 1, 7;
        /// The type of the bias; -1: the usual one.
        bias_kind: i32 = -1, 26;
        /// The address of the bias, or of its gradient.
        bias: usize = 0, 8;
        /// The distance of biases in a batch.
        bias_step: i64 = 0, 10;
        /// The address of what an epilogue needs beside.
        aux: usize = 0, 11;
        /// The distance of its columns.
        aux_leading: i64 = 0, 12;
        /// The distance in a batch.
        aux_step: i64 = 0, 13;
        /// The distance of α's vectors in a batch.
        alpha_step: i64 = 0, 14;
        /// How many multiprocessors to use.
        multiprocessors: i32 = 0, 15;
        /// The type of `aux`; -1: the result's.
        aux_kind: i32 = -1, 22;
        /// Factors of matrices, for types of 8 bits that are not here.
        a_factor: usize = 0, 17;
        /// Of B.
        b_factor: usize = 0, 18;
        /// Of C.
        c_factor: usize = 0, 19;
        /// Of D.
        d_factor: usize = 0, 20;
        /// Where the largest magnitude of D goes.
        d_largest: usize = 0, 21;
        /// The factor of `aux`.
        aux_factor: usize = 0, 23;
        /// Where its largest magnitude goes.
        aux_largest: usize = 0, 24;
        /// How the factor of A is to be read, `cublasLtMatmulMatrixScale_t`.
        a_mode: i32 = 0, 31;
        /// Of B.
        b_mode: i32 = 0, 32;
        /// Of C.
        c_mode: i32 = 0, 33;
        /// Of D.
        d_mode: i32 = 0, 34;
        /// Whether sums may be less precise.
        fast: i8 = 0, 25;
    }

    /// `cublasLtMatrixLayoutOpaque_t`.
    Layout(0x4C74_0002, 8) {
        /// `cudaDataType`.
        kind: u32 = 0, 0;
        /// `cublasLtOrder_t`.
        order: i32 = 0, 1;
        /// The number of matrices.
        count: i32 = 1, 5;
        /// Rows of each.
        rows: u64 = 0, 2;
        /// Columns of each.
        columns: u64 = 0, 3;
        /// The distance of columns, or what the order has in their place.
        leading: i64 = 0, 4;
        /// The distance of matrices.
        step: i64 = 0, 6;
        /// The distance of imaginary parts that lie apart.
        plane: i64 = 0, 7;
        /// `cublasLtBatchMode_t`.
        mode: u32 = 0, 8;
    }

    /// `cublasLtMatmulPreferenceOpaque_t`: what the search for an algorithm should heed.
    Preference(0x4C74_0003, 8) {
        /// `cublasLtMatmulSearch_t`.
        search: u32 = 0, 0;
        /// Memory to work with.
        workspace: u64 = 0, 1;
        /// `cublasLtReductionScheme_t`, as a mask.
        reductions: u32 = 7, 3;
        /// The alignment of A.
        a_alignment: u32 = 256, 5;
        /// Of B.
        b_alignment: u32 = 256, 6;
        /// Of C.
        c_alignment: u32 = 256, 7;
        /// Of D.
        d_alignment: u32 = 256, 8;
        /// How often the device may be filled.
        waves: f32 = 0.0, 9;
        /// Which numerical implementations may be chosen.
        implementations: u64 = u64::MAX, 12;
    }

    /// `cublasLtMatrixTransformDescOpaque_t`.
    Transform(0x4C74_0004, 8) {
        /// The type of α and β.
        scale: i32 = 0, 0;
        /// `cublasLtPointerMode_t`.
        pointers: i32 = 0, 1;
        /// `cublasOperation_t` of A.
        a: i32 = 0, 2;
        /// Of B.
        b: i32 = 0, 3;
    }

    /// `cublasLtMatmulAlgo_t`. The settings are kept and change nothing.
    Algorithm(0x4C74_0005, 8) {
        /// Which algorithm.
        id: i32 = 0, 0;
        /// `cublasLtMatmulTile_t`.
        tile: u32 = 0, 1;
        /// Into how many parts the inner dimension is cut.
        parts: i32 = 0, 2;
        /// `cublasLtReductionScheme_t`.
        reduction: u32 = 0, 3;
        /// How blocks are assigned.
        swizzling: u32 = 0, 4;
        /// A setting of the algorithm's own.
        custom: u32 = 0, 5;
        /// `cublasLtMatmulStages_t`.
        stages: u32 = 0, 6;
        /// `cublasLtMatmulInnerShape_t`.
        inner: u16 = 0, 7;
        /// `cublasLtClusterShape_t`.
        cluster: u16 = 0, 8;
    }
}

/// The record at an address.
///
/// # Safety
/// The address is null or of a record of the program's.
pub unsafe fn record<R: Record>(address: *const c_void) -> Result<R> {
    if address.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: caller; the program's record is at least as large.
    let mark = unsafe { address.cast::<u32>().read_unaligned() };
    match mark == R::MARK {
        // SAFETY: the same.
        true => Ok(unsafe { address.cast::<R>().read_unaligned() }),
        false => Err(Status::INVALID_VALUE),
    }
}

/// Makes memory of the program's a record.
///
/// # Safety
/// The address is null or of `size` bytes that may be written to.
pub unsafe fn init<R: Record>(address: *mut c_void, size: usize, value: R) -> c_int {
    if address.is_null() || size < R::SIZE {
        return Status::INVALID_VALUE.0;
    }
    // SAFETY: caller; a record is no larger than the program's.
    unsafe {
        std::ptr::write_bytes(address.cast::<u8>(), 0, R::SIZE);
        address.cast::<R>().write_unaligned(value);
    }
    Status::SUCCESS.0
}

/// Makes a record.
///
/// # Safety
/// The address is null or valid.
pub unsafe fn create<R: Record>(place: *mut *mut c_void, value: R) -> c_int {
    // SAFETY: caller.
    let Some(place) = (unsafe { place.as_mut() }) else {
        return Status::INVALID_VALUE.0;
    };
    // Programs copy whole records of their own size.
    let words = vec![0_u64; R::SIZE / 8].into_boxed_slice();
    let address = Box::into_raw(words).cast::<c_void>();
    // SAFETY: it has the size of a record.
    unsafe { address.cast::<R>().write_unaligned(value) };
    *place = address;
    Status::SUCCESS.0
}

/// Frees a record that [`create`] made.
///
/// # Safety
/// The address is null or of such a record.
pub unsafe extern "C" fn destroy<R: Record>(address: *mut c_void) -> c_int {
    // SAFETY: caller.
    let found = unsafe { record::<R>(address) };
    answer(found.map(|_| {
        let words = std::ptr::slice_from_raw_parts_mut(address.cast::<u64>(), R::SIZE / 8);
        // SAFETY: caller. The mark goes, so that most uses of a destroyed record are noticed.
        unsafe {
            address.cast::<u32>().write(0);
            drop(Box::from_raw(words));
        }
    }))
}

fn attribute<R: Record>(number: c_int) -> Result<&'static Attribute> {
    let found = R::ATTRIBUTES.iter().find(|one| one.number == number);
    found.ok_or(Status::INVALID_VALUE)
}

/// Sets an attribute.
///
/// # Safety
/// The record is null or one of the program's, the value null or of `size` bytes.
pub unsafe extern "C" fn set<R: Record>(
    address: *mut c_void,
    number: c_int,
    value: *const c_void,
    size: usize,
) -> c_int {
    let set = || {
        // SAFETY: caller.
        unsafe { record::<R>(address) }?;
        let attribute = attribute::<R>(number)?;
        if value.is_null() || size != attribute.size {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: both have this size.
        unsafe {
            let place = address.cast::<u8>().add(attribute.offset);
            std::ptr::copy_nonoverlapping(value.cast::<u8>(), place, size);
        }
        Ok(())
    };
    answer(set())
}

/// Reads an attribute. With a size of 0 only its size is told.
///
/// # Safety
/// As for `set`; `written` is null or valid.
pub unsafe extern "C" fn get<R: Record>(
    address: *const c_void,
    number: c_int,
    value: *mut c_void,
    size: usize,
    written: *mut usize,
) -> c_int {
    let get = || {
        // SAFETY: caller.
        unsafe { record::<R>(address) }?;
        let attribute = attribute::<R>(number)?;
        // SAFETY: the attribute is a part of the record.
        let bytes = unsafe {
            std::slice::from_raw_parts(address.cast::<u8>().add(attribute.offset), attribute.size)
        };
        // SAFETY: caller.
        unsafe { hand_out(bytes, value, size, written) }
    };
    answer(get())
}

/// Gives bytes to the program, which has told how many it expects.
///
/// # Safety
/// `value` is null or of `size` bytes; `written` is null or valid.
pub unsafe fn hand_out(
    bytes: &[u8],
    value: *mut c_void,
    size: usize,
    written: *mut usize,
) -> Result<()> {
    // SAFETY: caller.
    let written = unsafe { written.as_mut() };
    if size == 0 {
        *written.ok_or(Status::INVALID_VALUE)? = bytes.len();
        return Ok(());
    }
    if value.is_null() || size != bytes.len() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: both have this size.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast::<u8>(), size) };
    if let Some(written) = written {
        *written = size;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_kept_and_checked() {
        let mut descriptor = std::ptr::null_mut();
        let (mut value, mut size) = (0_i64, 0);
        // SAFETY: the addresses are valid, or null.
        unsafe {
            assert_eq!(create(&mut descriptor, Layout::default()), 0);
            let step = 77_i64;
            let at = (&raw const step).cast();
            assert_eq!(set::<Layout>(descriptor, 6, at, 8), 0);
            // Another size, another number, a descriptor of another sort.
            assert_eq!(set::<Layout>(descriptor, 6, at, 4), 7);
            assert_eq!(set::<Layout>(descriptor, 99, at, 8), 7);
            assert_eq!(set::<Operation>(descriptor, 10, at, 8), 7);
            let place = (&raw mut value).cast();
            assert_eq!(get::<Layout>(descriptor, 6, place, 8, &mut size), 0);
            assert_eq!((value, size), (77, 8));
            let nothing = std::ptr::null_mut();
            assert_eq!(get::<Layout>(descriptor, 5, nothing, 0, &mut size), 0);
            assert_eq!(size, 4);
            assert_eq!(destroy::<Layout>(descriptor), 0);
            assert_eq!(destroy::<Layout>(nothing), 7);
        }
    }
}
