//! The routines that read the properties of an interop object (OpenMP 5.2, 18.12).
//!
//! The virtual GPU and the host have no foreign runtime such as CUDA. Their objects name the family of devices as the
//! foreign runtime and have opaque handles. Their streams order the kernels launched on them (`kernel_language.rs`).
//! The objects of a GPU have the handles of its driver: CUDA's, or the HSA runtime's.

use std::ffi::{CStr, c_char, c_void};

use plugin_api::ForeignDevice;

use crate::device::interop_object::{self as objects, Interop};

/// `omp_interop_rc_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The property has no meaningful value.
    NoValue = 1,
    /// The value is valid.
    Success = 0,
    /// The object is `omp_interop_none`.
    Empty = -1,
    /// There is no such property.
    OutOfRange = -2,
    /// It is an integer.
    TypeInt = -3,
    /// It is a pointer.
    TypePointer = -4,
    /// It is a string.
    TypeString = -5,
    /// Anything else, such as a handle of no object.
    Other = -6,
}

/// A property's value.
enum Value {
    Int(isize),
    Pointer(*mut c_void),
    String(*const c_char),
}

impl Value {
    /// Its type.
    fn kind(&self) -> &'static CStr {
        match self {
            Value::Int(_) => INT,
            Value::Pointer(_) => POINTER,
            Value::String(_) => STRING,
        }
    }

    /// The code that a routine for another type returns.
    fn mismatch(&self) -> Code {
        match self {
            Value::Int(_) => Code::TypeInt,
            Value::Pointer(_) => Code::TypePointer,
            Value::String(_) => Code::TypeString,
        }
    }
}

/// Number and name of this implementation as a vendor. The numbers of the "OpenMP Additional Definitions" are smaller.
const VENDOR: (isize, &CStr) = (1000, c"omptarget-rs");

/// A property that OpenMP defines.
struct Property {
    name: &'static CStr,
    /// Its type, unless the value has another one.
    kind: &'static CStr,
    /// `None`: there is no meaningful value.
    value: fn(&Interop) -> Option<Value>,
}

const INT: &CStr = c"omp_intptr_t";
const POINTER: &CStr = c"void *";
const STRING: &CStr = c"const char *";

/// The properties, from `omp_ipr_fr_id` (-1) down.
static PROPERTIES: [Property; 9] = [
    Property {
        name: c"fr_id",
        kind: INT,
        value: |object| {
            // Numbers beyond those of the "OpenMP Additional Definitions": 1000 is the virtual GPU, 1001 any other
            // device.
            let own = 1000 + isize::from(object.runtime_name() != c"vgpu");
            Some(Value::Int(
                object.foreign().map_or(own, |foreign| foreign.runtime),
            ))
        },
    },
    Property {
        name: c"fr_name",
        kind: STRING,
        value: |object| Some(Value::String(object.runtime_name().as_ptr())),
    },
    Property {
        name: c"vendor",
        kind: INT,
        value: |_| Some(Value::Int(VENDOR.0)),
    },
    Property {
        name: c"vendor_name",
        kind: STRING,
        value: |_| Some(Value::String(VENDOR.1.as_ptr())),
    },
    Property {
        name: c"device_num",
        kind: INT,
        value: |object| Some(Value::Int(object.device.number as isize)),
    },
    Property {
        name: c"platform",
        kind: POINTER,
        value: |_| None,
    },
    Property {
        name: c"device",
        kind: POINTER,
        value: |object| {
            Some(match object.foreign() {
                Some(foreign) => match foreign.device {
                    ForeignDevice::Number(number) => Value::Int(number),
                    ForeignDevice::Handle(address) => {
                        Value::Pointer(std::ptr::with_exposed_provenance_mut(address))
                    }
                },
                None => Value::Pointer(object.device_handle()),
            })
        },
    },
    Property {
        name: c"device_context",
        kind: POINTER,
        value: |object| {
            let context = object.foreign()?.context?;
            Some(Value::Pointer(std::ptr::with_exposed_provenance_mut(
                context,
            )))
        },
    },
    Property {
        name: c"targetsync",
        kind: POINTER,
        value: |object| object.stream_handle().map(Value::Pointer),
    },
];

fn property(number: i32) -> Option<&'static Property> {
    PROPERTIES.get(usize::try_from(-1 - i64::from(number)).ok()?)
}

/// The property, if `wanted` accepts its type; otherwise a code (OpenMP 5.2, 18.12.2 to 18.12.4).
fn value<T>(
    handle: *const c_void,
    number: i32,
    wanted: impl Fn(Value) -> Option<T>,
) -> std::result::Result<T, Code> {
    if handle.is_null() {
        return Err(Code::Empty);
    }
    let property = property(number).ok_or(Code::OutOfRange)?;
    let object = objects::find(handle).ok_or(Code::Other)?;
    let value = (property.value)(&object).ok_or(Code::NoValue)?;
    let mismatch = value.mismatch();
    wanted(value).ok_or(mismatch)
}

/// Returns the value and writes the code.
///
/// # Safety
/// `code` is null or writable.
unsafe fn answer<T>(outcome: std::result::Result<T, Code>, none: T, code: *mut i32) -> T {
    let (value, answer) = match outcome {
        Ok(value) => (value, Code::Success),
        Err(code) => (none, code),
    };
    if !code.is_null() {
        // SAFETY: caller.
        unsafe { *code = answer as i32 };
    }
    value
}

/// An integer property.
///
/// # Safety
/// `code` is null or writable.
pub unsafe extern "C" fn omp_get_interop_int(
    object: *const c_void,
    number: i32,
    code: *mut i32,
) -> isize {
    let found = value(object, number, |value| match value {
        Value::Int(value) => Some(value),
        _ => None,
    });
    // SAFETY: caller.
    unsafe { answer(found, 0, code) }
}

/// A pointer property.
///
/// # Safety
/// `code` is null or writable.
pub unsafe extern "C" fn omp_get_interop_ptr(
    object: *const c_void,
    number: i32,
    code: *mut i32,
) -> *mut c_void {
    let found = value(object, number, |value| match value {
        Value::Pointer(value) => Some(value),
        _ => None,
    });
    // SAFETY: caller.
    unsafe { answer(found, std::ptr::null_mut(), code) }
}

/// A string property. The string lives as long as the object.
///
/// # Safety
/// `code` is null or writable.
pub unsafe extern "C" fn omp_get_interop_str(
    object: *const c_void,
    number: i32,
    code: *mut i32,
) -> *const c_char {
    let found = value(object, number, |value| match value {
        Value::String(value) => Some(value),
        _ => None,
    });
    // SAFETY: caller.
    unsafe { answer(found, std::ptr::null(), code) }
}

/// A property's name; null for `omp_interop_none` and for unknown properties.
pub extern "C" fn omp_get_interop_name(object: *const c_void, number: i32) -> *const c_char {
    let found = property(number).filter(|_| !object.is_null());
    found.map_or(std::ptr::null(), |property| property.name.as_ptr())
}

/// A property's type; null for `omp_interop_none` and for unknown properties.
pub extern "C" fn omp_get_interop_type_desc(object: *const c_void, number: i32) -> *const c_char {
    let Some(property) = property(number).filter(|_| !object.is_null()) else {
        return std::ptr::null();
    };
    let value = objects::find(object).and_then(|object| (property.value)(&object));
    value.map_or(property.kind, |value| value.kind()).as_ptr()
}
