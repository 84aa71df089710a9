//! Cuts numbers to 32 bits before a shift, not behind it, in an image that was PTX.
//!
//! ```text
//! shifted = shl i64 number, 2                    cut = and i64 number, 0xffffffff
//! address = and i64 shifted, 0x3fffffffc         address = shl i64 cut, 2
//! ```
//!
//! A product of 32 bits that is extended comes out of `instcombine` as on the left. `correlated-propagation` removes
//! the mask on the right if the number has no more than 32 bits. An address with a mask in it is no distance from
//! another one.
//!
//! Needs: registers made values. Leaves: the masks, for `correlated-propagation` that follows.

use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMShl};

use crate::ir::{Builder, Context, Value};

/// Rewrites a function.
pub fn run(context: Context, function: Value) {
    for mask in function.instructions() {
        let Some((number, by, low)) = parts(mask) else {
            continue;
        };
        let builder = Builder::before(context, mask);
        let cut = builder.binary(LLVMAnd, number, Value::int(mask.ty(), low));
        let shifted = builder.binary(LLVMShl, cut, by);
        mask.replace_all_uses(shifted);
    }
}

/// Of `(number << by) & mask`: the number, the distance, and the mask of the number, if that keeps its lower bits.
fn parts(mask: Value) -> Option<(Value, Value, u64)> {
    if mask.opcode() != Some(LLVMAnd) || !mask.ty().is_int() || mask.ty().int_width() != 64 {
        return None;
    }
    let shift = mask.operand(0);
    if shift.opcode() != Some(LLVMShl) {
        return None;
    }
    let (bits, by) = (mask.operand(1).as_int()?, shift.operand(1));
    let low = bits.checked_shr(by.as_int()?.try_into().ok()?)?;
    // Whether the zeros that the shift makes are in the mask or not makes no difference.
    (low & low.wrapping_add(1) == 0).then_some((shift.operand(0), by, low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;

    /// A mask of a shifted number, after the pass.
    fn masked(by: u64, mask: u64) -> String {
        let text = format!(
            "define i64 @f(i64 %number) {{
  %shifted = shl i64 %number, {by}
  %masked = and i64 %shifted, {mask}
  ret i64 %masked
}}"
        );
        Module::changed(&text, run)
    }

    #[test]
    fn what_keeps_the_lower_bits_comes_first() {
        assert!(masked(2, 0x3_ffff_fffc).contains("and i64 %number, 4294967295"));
        assert!(masked(7, 0x3_ffff_ff80).contains("and i64 %number, 134217727"));
        assert!(masked(2, 0x3_ffff_fff0).contains("ret i64 %masked"));
    }
}
