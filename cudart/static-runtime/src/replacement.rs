//! A jump at the entry of each function of the library leads elsewhere.
//!
//! The jump takes five bytes, which even short functions have. It leads to a step close to the program, one for each
//! function, and from there to anywhere.

use std::ffi::{CStr, c_void};
use std::fmt;
use std::io;
use std::ops::Range;

use object::{Object, ObjectSegment};
use rustix::mm::{MprotectFlags, mprotect};

use crate::found::{Function, StaticRuntime};
use crate::loaded::Program;
use crate::near;

/// `jmp`, and how far.
const JUMP: usize = 5;
/// Bytes of a step: `mov r11, name; jmp [rip]`, the address, and what rounds it up.
const STEP: usize = 32;
const PAGE: usize = 4096;

/// Why the library stays what it is.
#[derive(Debug)]
pub enum Failure {
    /// A function is not where the file says, or has other code than there.
    Differs(String),
    /// A function is too far from where there was room for code.
    Far(String),
    /// The system refuses.
    System(io::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, text: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Differs(name) => {
                write!(text, "{name} is not in memory what it is in the file")
            }
            Failure::Far(name) => write!(text, "there is no room for code near {name}"),
            Failure::System(error) => write!(text, "the system refuses: {error}"),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::System(error)
    }
}

/// A function of the program, and where it leads.
struct Replaced {
    name: &'static CStr,
    /// Its first bytes.
    entry: Range<usize>,
    target: usize,
}

/// Has the library's functions lead to those that `target` knows for their names, in the program of this process, whose
/// file this is. `missing` is called for all others, with the function's name in the register `r11`. A function that is
/// too short for a jump is too short to do anything, and stays.
///
/// # Safety
/// No other thread runs the program's code, and none of the library's functions has been called.
pub unsafe fn replace(
    runtime: &'static StaticRuntime,
    file: &[u8],
    target: impl Fn(&CStr) -> Option<usize>,
    missing: usize,
) -> Result<(), Failure> {
    let wrong = |_| Failure::System(io::ErrorKind::InvalidData.into());
    let parsed = object::File::parse(file).map_err(wrong)?;
    let program = Program::of_process().ok_or(io::Error::from(io::ErrorKind::NotFound))?;
    let mut replaced = Vec::new();
    for function in &runtime.functions {
        let known = target(&function.name);
        if known.is_none() && function.size < JUMP as u64 {
            continue;
        }
        replaced.push(Replaced {
            name: &function.name,
            entry: entry(&program, function, &parsed)?,
            target: known.unwrap_or(missing),
        });
    }
    let begin = program.code.iter().map(|segment| segment.start).min();
    let size = (replaced.len() * STEP).next_multiple_of(PAGE);
    let steps = near::code_below(begin.unwrap_or_default(), size, |place| {
        for (place, function) in place.chunks_exact_mut(STEP).zip(&replaced) {
            write_step(place, function);
        }
    })?;
    let jumps = replaced.iter().enumerate().map(|(number, function)| {
        let jump = jump(&function.entry, steps + number * STEP);
        Ok((function.entry.start, jump.ok_or_else(|| far(function))?))
    });
    let jumps = jumps.collect::<Result<Vec<_>, Failure>>()?;
    // SAFETY: caller; these are the functions' entries.
    unsafe { write(&jumps) }.map_err(Failure::System)
}

fn differs(name: &CStr) -> Failure {
    Failure::Differs(name.to_string_lossy().into_owned())
}

fn far(function: &Replaced) -> Failure {
    Failure::Far(function.name.to_string_lossy().into_owned())
}

/// The first bytes of a function in memory, if they are those of the file.
fn entry(
    program: &Program,
    function: &Function,
    file: &object::File,
) -> Result<Range<usize>, Failure> {
    let begin = program.base + function.address as usize;
    let entry = begin..begin + JUMP;
    if function.size < JUMP as u64 || !program.has_code(&entry) {
        return Err(differs(&function.name));
    }
    // SAFETY: the segment is mapped, and nobody writes to it.
    let loaded = unsafe { std::slice::from_raw_parts(begin as *const u8, JUMP) };
    match code_in(file, function.address) == Some(loaded) {
        true => Ok(entry),
        false => Err(differs(&function.name)),
    }
}

/// The first bytes of the code at an address in a file.
fn code_in<'a>(file: &object::File<'a>, address: u64) -> Option<&'a [u8]> {
    let segment = file.segments().find(|segment| {
        let at = segment.address();
        (at..at + segment.size()).contains(&address)
    })?;
    segment.data_range(address, JUMP as u64).ok()?
}

fn write_step(place: &mut [u8], function: &Replaced) {
    place[..2].copy_from_slice(&[0x49, 0xbb]);
    place[2..10].copy_from_slice(&(function.name.as_ptr() as u64).to_le_bytes());
    place[10..16].copy_from_slice(&[0xff, 0x25, 0, 0, 0, 0]);
    place[16..24].copy_from_slice(&(function.target as u64).to_le_bytes());
}

/// The jump from these bytes to a step.
fn jump(entry: &Range<usize>, step: usize) -> Option<[u8; JUMP]> {
    let [a, b, c, d] = i32::try_from(step as i128 - entry.end as i128)
        .ok()?
        .to_le_bytes();
    Some([0xe9, a, b, c, d])
}

/// Writes jumps over code, in the order of their addresses.
///
/// # Safety
/// No thread runs code between the first and the last.
unsafe fn write(jumps: &[(usize, [u8; JUMP])]) -> io::Result<()> {
    let (Some((first, _)), Some((last, _))) = (jumps.first(), jumps.last()) else {
        return Ok(());
    };
    let begin = first / PAGE * PAGE;
    let size = (last + JUMP).next_multiple_of(PAGE) - begin;
    let pages = begin as *mut c_void;
    // SAFETY: caller.
    unsafe { mprotect(pages, size, MprotectFlags::READ | MprotectFlags::WRITE)? };
    for &(at, jump) in jumps {
        // SAFETY: the bytes are a function's, and may be written to now.
        unsafe { (at as *mut [u8; JUMP]).write(jump) };
    }
    // SAFETY: as above.
    unsafe { mprotect(pages, size, MprotectFlags::READ | MprotectFlags::EXEC)? };
    Ok(())
}
