//! What a program may ask of a node: the parameters that it was made with, or those of what was captured.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use plugin_api::DevicePtr;

use crate::abi::{
    AllocationParameters, CopyBox, FillParameters, HostParameters, PitchedPointer, Size,
};
use crate::graph::operation::Operation;

/// Words of the driver's interface's structure of a copy, some of which have bytes that nobody wrote.
pub type DriversCopy = [MaybeUninit<u64>; 25];

/// The parameters of a node. Those of a kernel are its launch.
#[derive(Clone, Copy)]
pub enum Described {
    /// A copy.
    Copy(CopyBox),
    /// One as the driver's interface has it.
    DriversCopy(DriversCopy),
    /// A fill.
    Fill(FillParameters),
    /// A call of a function of the host's.
    Host(HostParameters),
    /// Memory.
    Allocation(AllocationParameters),
    /// The end of the use of memory at this address.
    Free(u64),
    /// A record of an event, or a wait for one: its handle.
    Event(usize),
}

// SAFETY: the addresses in it are numbers to this library, which the program gave and gets back.
unsafe impl Send for Described {}
// SAFETY: as above.
unsafe impl Sync for Described {}

impl Described {
    /// A copy of a row.
    pub fn row(to: u64, from: u64, len: usize, kind: i32) -> Described {
        let row = |address: u64| PitchedPointer {
            address: address as *mut c_void,
            pitch: len,
            width: len,
            height: 1,
        };
        Described::Copy(CopyBox {
            from_array: std::ptr::null_mut(),
            from_position: Size::default(),
            from: row(from),
            to_array: std::ptr::null_mut(),
            to_position: Size::default(),
            to: row(to),
            extent: Size { x: len, y: 1, z: 1 },
            kind,
        })
    }

    /// Of operations that were captured: a copy of a row, or a fill of rows. `None`: nothing that has parameters of its
    /// own.
    pub fn of(operations: &[Operation]) -> Option<Described> {
        /// `cudaMemcpyKind`.
        const TO_DEVICE: i32 = 1;
        const TO_HOST: i32 = 2;
        const WITHIN: i32 = 3;
        match operations {
            [Operation::Write(to, from, len)] => {
                Some(Self::row(to.0, *from as u64, *len, TO_DEVICE))
            }
            [Operation::WriteCopied(to, bytes)] => {
                let from = bytes.as_ptr() as u64;
                Some(Self::row(to.0, from, bytes.len(), TO_DEVICE))
            }
            [Operation::Read(to, from, len)] => Some(Self::row(*to as u64, from.0, *len, TO_HOST)),
            [Operation::Copy(to, from, len)] => Some(Self::row(to.0, from.0, *len, WITHIN)),
            [Operation::Fill(to, byte, len), rest @ ..] => {
                fill(*to, *byte, *len, rest).map(Described::Fill)
            }
            _ => None,
        }
    }
}

/// A fill of rows at the same distance from each other.
fn fill(to: DevicePtr, byte: u8, len: usize, rest: &[Operation]) -> Option<FillParameters> {
    let pitch = match rest.first() {
        Some(Operation::Fill(next, ..)) => next.0.checked_sub(to.0)?,
        _ => len as u64,
    };
    let continues = |(index, operation): (usize, &Operation)| {
        let at = to.0 + pitch * (index as u64 + 1);
        matches!(operation, Operation::Fill(to, same, width) if (to.0, *same, *width) == (at, byte, len))
    };
    let regular = rest.iter().enumerate().all(continues);
    regular.then_some(FillParameters {
        to: to.0 as *mut c_void,
        pitch: pitch as usize,
        value: byte.into(),
        element: 1,
        width: len,
        height: rest.len() + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captured_fills_are_rows() {
        let row = |at, byte| Operation::Fill(DevicePtr(at), byte, 10);
        let described = |rows: &[Operation]| match Described::of(rows) {
            Some(Described::Fill(fill)) => {
                Some((fill.to as u64, fill.pitch, fill.value, fill.height))
            }
            _ => None,
        };
        assert_eq!(described(&[row(100, 7)]), Some((100, 10, 7, 1)));
        assert_eq!(
            described(&[row(100, 7), row(116, 7), row(132, 7)]),
            Some((100, 16, 7, 3))
        );
        assert_eq!(described(&[row(100, 7), row(116, 7), row(130, 7)]), None);
        assert_eq!(described(&[row(100, 7), row(116, 8)]), None);
    }

    #[test]
    fn captured_copies_are_rows() {
        let copy = Operation::Copy(DevicePtr(64), DevicePtr(32), 5);
        let Some(Described::Copy(copy)) = Described::of(&[copy]) else {
            panic!("no copy");
        };
        assert_eq!((copy.to.address as u64, copy.from.address as u64), (64, 32));
        assert_eq!((copy.extent, copy.kind), (Size { x: 5, y: 1, z: 1 }, 3));
    }
}
