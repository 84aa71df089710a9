//! What a loop's last branch tells LLVM's passes (`llvm.loop`, LLVM Language Reference).

use llvm_sys::prelude::LLVMMetadataRef;

use super::debug::{metadata_string, tuple_operands};
use super::{Context, Value};

/// The kind of metadata, and what names of hints for unrolling and for vectors begin with.
const LOOP: &str = "llvm.loop";
const UNROLL: &str = "llvm.loop.unroll";
const VECTORIZE: &str = "llvm.loop.vectorize";

impl Value {
    /// Tells LLVM not to unroll a loop, given the branch back to its header. A loop with a hint of the user's own for
    /// unrolling keeps it.
    pub fn keep_rolled(self, context: Context) {
        let hints = self.loop_hints(context);
        if !hints.iter().any(|hint| is_for(*hint, UNROLL)) {
            self.set_loop_hints(context, &hints, Some(no_unrolling(context)));
        }
    }

    /// Takes back what a loop says about vectors, given the branch back to its header.
    pub fn forget_vectors(self, context: Context) {
        let hints = self.loop_hints(context);
        let others: Vec<Value> = hints
            .iter()
            .copied()
            .filter(|it| !is_for(*it, VECTORIZE))
            .collect();
        if others.len() < hints.len() {
            self.set_loop_hints(context, &others, None);
        }
    }

    fn loop_hints(self, context: Context) -> Vec<Value> {
        let old = super::value::wrap(llvm!(core::LLVMGetMetadata(self.0, kind(context))));
        // The first operand is the loop's identity.
        let operands = old.map_or(Vec::new(), tuple_operands);
        operands.into_iter().skip(1).flatten().collect()
    }

    fn set_loop_hints(self, context: Context, hints: &[Value], more: Option<LLVMMetadataRef>) {
        let hints = hints
            .iter()
            .map(|hint| llvm!(core::LLVMValueAsMetadata(hint.0)));
        let identity = identity(context, hints.chain(more));
        llvm!(core::LLVMSetMetadata(
            self.0,
            kind(context),
            llvm!(core::LLVMMetadataAsValue(context.0, identity))
        ));
    }
}

/// The number of the kind of metadata.
fn kind(context: Context) -> u32 {
    llvm!(core::LLVMGetMDKindIDInContext(
        context.0,
        LOOP.as_ptr().cast(),
        LOOP.len() as u32
    ))
}

/// Whether the name of a hint begins so.
fn is_for(hint: Value, prefix: &str) -> bool {
    let name = tuple_operands(hint).first().copied().flatten();
    name.is_some_and(|name| metadata_string(name).starts_with(prefix))
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
