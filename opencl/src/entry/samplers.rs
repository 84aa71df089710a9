//! Samplers.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::entry::{answer, created, properties};
use crate::handle::{Raw, Ref, create, get, release, retain};
use crate::query::Answer;
use crate::sampler::{ADDRESS_CLAMP, NEAREST, Sampler};

/// `CL_SAMPLER_NORMALIZED_COORDS`.
const NORMALISED: u64 = 0x1152;
/// `CL_SAMPLER_ADDRESSING_MODE`.
const ADDRESSING: u64 = 0x1153;
/// `CL_SAMPLER_FILTER_MODE`.
const FILTER: u64 = 0x1154;

fn made(sampler: Sampler) -> Result<Ref<Sampler>> {
    sampler.check()?;
    Ok(create(sampler))
}

/// A sampler.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCreateSampler(
    context: Raw,
    normalised: u32,
    addressing: u32,
    filter: u32,
    code: *mut i32,
) -> Raw {
    let make = || {
        made(Sampler {
            context: get::<Context>(context)?,
            normalised: normalised != 0,
            addressing,
            filter,
            properties: Vec::new(),
        })
    };
    // SAFETY: caller.
    unsafe { created(make(), code) }
}

/// The same with properties.
///
/// # Safety
/// `list` ends with a zero or is null, `code` is writable or null.
pub unsafe extern "C" fn clCreateSamplerWithProperties(
    context: Raw,
    list: *const u64,
    code: *mut i32,
) -> Raw {
    let make = || {
        let context = get::<Context>(context)?;
        // SAFETY: caller.
        let properties = unsafe { properties(list) };
        let mut given = [None; 3];
        for pair in properties.chunks_exact(2) {
            let place = match pair[0] {
                NORMALISED => &mut given[0],
                ADDRESSING => &mut given[1],
                FILTER => &mut given[2],
                _ => return Err(Code::INVALID_VALUE),
            };
            let value = u32::try_from(pair[1]).map_err(|_| Code::INVALID_VALUE)?;
            if place.replace(value).is_some() {
                return Err(Code::INVALID_VALUE);
            }
        }
        made(Sampler {
            context,
            normalised: given[0].unwrap_or(1) != 0,
            addressing: given[1].unwrap_or(ADDRESS_CLAMP),
            filter: given[2].unwrap_or(NEAREST),
            properties,
        })
    };
    // SAFETY: caller.
    unsafe { created(make(), code) }
}

/// One reference more.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clRetainSampler(raw: Raw) -> i32 {
    answer(retain::<Sampler>(raw))
}

/// One reference less.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clReleaseSampler(raw: Raw) -> i32 {
    answer(release::<Sampler>(raw))
}

/// Says what a sampler is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetSamplerInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let sampler = get::<Sampler>(raw)?;
        Ok(match name {
            0x1150 => Answer::of(sampler.references()),
            0x1151 => Answer::raw(sampler.context.raw()),
            0x1152 => Answer::truth(sampler.normalised),
            0x1153 => Answer::of(sampler.addressing),
            0x1154 => Answer::of(sampler.filter),
            0x1158 => Answer::list(&sampler.properties),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}
