//! What code reads of a thread's place in its block, and of the block's extent.
//!
//! On NVIDIA GPUs all of it is in special registers. On AMD GPUs the extent is in memory: implicit arguments of the
//! kernel, of 16 bits each ("AMDGPU Back-end User Guide", Code Object V5 Hidden Kernel Arguments).

use llvm_sys::LLVMOpcode;

use super::intrinsics::is_call_of;
use crate::ir::Value;

/// One of these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// A thread's index along x.
    ThreadX,
    /// Along y.
    ThreadY,
    /// Along z.
    ThreadZ,
    /// The block's threads along x.
    ThreadsX,
    /// Along y.
    ThreadsY,
    /// Along z.
    ThreadsZ,
}
use Dimension::{ThreadX, ThreadY, ThreadZ, ThreadsX, ThreadsY, ThreadsZ};

/// The intrinsics that read one.
const INTRINSICS: [(&str, Dimension); 9] = [
    ("llvm.nvvm.read.ptx.sreg.tid.x", ThreadX),
    ("llvm.nvvm.read.ptx.sreg.tid.y", ThreadY),
    ("llvm.nvvm.read.ptx.sreg.tid.z", ThreadZ),
    ("llvm.nvvm.read.ptx.sreg.ntid.x", ThreadsX),
    ("llvm.nvvm.read.ptx.sreg.ntid.y", ThreadsY),
    ("llvm.nvvm.read.ptx.sreg.ntid.z", ThreadsZ),
    ("llvm.amdgcn.workitem.id.x", ThreadX),
    ("llvm.amdgcn.workitem.id.y", ThreadY),
    ("llvm.amdgcn.workitem.id.z", ThreadZ),
];

/// AMD's implicit arguments that are one, by their offsets.
const IMPLICIT_ARGUMENTS: [(u64, Dimension); 3] = [(12, ThreadsX), (14, ThreadsY), (16, ThreadsZ)];

/// What an instruction reads, if it is one of these.
pub fn read_by(instruction: Value) -> Option<Dimension> {
    match instruction.opcode()? {
        LLVMOpcode::LLVMLoad => implicit_argument(instruction),
        _ => {
            let name = instruction.called_function()?.name();
            let found = INTRINSICS.iter().find(|(known, _)| *known == name);
            found.map(|&(_, dimension)| dimension)
        }
    }
}

fn implicit_argument(load: Value) -> Option<Dimension> {
    let address = load.operand(0);
    let is_field = load.ty().is_int()
        && load.ty().int_width() == 16
        && address.opcode() == Some(LLVMOpcode::LLVMGetElementPtr)
        && address.operand_count() == 2
        && address.source_element_type().is_int()
        && address.source_element_type().int_width() == 8
        && is_call_of(address.operand(0), &["llvm.amdgcn.implicitarg.ptr"]);
    if !is_field {
        return None;
    }
    let offset = address.operand(1).as_int()?;
    let mut known = IMPLICIT_ARGUMENTS.iter();
    known
        .find(|(at, _)| *at == offset)
        .map(|&(_, dimension)| dimension)
}
