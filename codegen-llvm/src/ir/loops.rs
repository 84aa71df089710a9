//! What a loop's last branch tells LLVM's passes (`llvm.loop`, LLVM Language Reference).

use llvm_sys::prelude::LLVMMetadataRef;

use super::debug::{metadata_string, tuple_operands};
use super::{Context, Value};

/// The kind of metadata, and what names of hints for unrolling begin with.
const LOOP: &str = "llvm.loop";
const UNROLL: &str = "llvm.loop.unroll";

impl Value {
    /// Tells LLVM not to unroll a loop, given the branch back to its header. A loop with a hint of the user's own for
    /// unrolling keeps it.
    pub fn keep_rolled(self, context: Context) {
        let kind = llvm!(core::LLVMGetMDKindIDInContext(
            context.0,
            LOOP.as_ptr().cast(),
            LOOP.len() as u32
        ));
        let old = super::value::wrap(llvm!(core::LLVMGetMetadata(self.0, kind)));
        // The first operand is the loop's identity.
        let hints: Vec<Value> = old
            .map_or(Vec::new(), tuple_operands)
            .into_iter()
            .skip(1)
            .flatten()
            .collect();
        if hints.iter().any(|hint| is_for_unrolling(*hint)) {
            return;
        }
        let hints = hints
            .into_iter()
            .map(|hint| llvm!(core::LLVMValueAsMetadata(hint.0)));
        let identity = identity(context, hints.chain([no_unrolling(context)]));
        llvm!(core::LLVMSetMetadata(
            self.0,
            kind,
            llvm!(core::LLVMMetadataAsValue(context.0, identity))
        ));
    }
}

/// Whether a hint is one for unrolling.
fn is_for_unrolling(hint: Value) -> bool {
    let name = tuple_operands(hint).first().copied().flatten();
    name.is_some_and(|name| metadata_string(name).starts_with(UNROLL))
}

/// `!{!"llvm.loop.unroll.disable"}`.
fn no_unrolling(context: Context) -> LLVMMetadataRef {
    let name = format!("{UNROLL}.disable");
    let text = llvm!(core::LLVMMDStringInContext2(
        context.0,
        name.as_ptr().cast(),
        name.len()
    ));
    tuple(context, &mut [text])
}

/// A node that only one loop has: its first operand is the node itself.
fn identity(context: Context, hints: impl Iterator<Item = LLVMMetadataRef>) -> LLVMMetadataRef {
    let itself = llvm!(debuginfo::LLVMTemporaryMDNode(
        context.0,
        std::ptr::null_mut(),
        0
    ));
    let mut operands: Vec<_> = std::iter::once(itself).chain(hints).collect();
    let node = tuple(context, &mut operands);
    llvm!(debuginfo::LLVMMetadataReplaceAllUsesWith(itself, node));
    node
}

fn tuple(context: Context, operands: &mut [LLVMMetadataRef]) -> LLVMMetadataRef {
    llvm!(core::LLVMMDNodeInContext2(
        context.0,
        operands.as_mut_ptr(),
        operands.len()
    ))
}
