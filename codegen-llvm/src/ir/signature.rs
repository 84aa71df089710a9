//! Gives a function's code to a function with other parameters.

use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};

use super::{Builder, Context, Value};

impl Value {
    /// Takes the code of function `from`, with its attributes, calling convention, metadata and linkage; not the
    /// attributes of its parameters. This function has no code. The code still uses `from`'s parameters.
    pub fn take_body(self, context: Context, from: Value) {
        self.set_linkage(from.linkage());
        self.set_calling_convention(from.calling_convention());
        self.copy_attributes(LLVMAttributeFunctionIndex, from, LLVMAttributeFunctionIndex);
        // The subprogram is such metadata, too: it must be that of the function that has the code.
        let mut count = 0;
        let entries = llvm!(core::LLVMGlobalCopyAllMetadata(from.0, &mut count));
        for index in 0..count as u32 {
            let kind = llvm!(core::LLVMValueMetadataEntriesGetKind(entries, index));
            let metadata = llvm!(core::LLVMValueMetadataEntriesGetMetadata(entries, index));
            llvm!(core::LLVMGlobalAddMetadata(self.0, kind, metadata));
        }
        llvm!(core::LLVMDisposeValueMetadataEntries(entries));
        llvm!(core::LLVMGlobalClearMetadata(from.0));
        let begin = Builder::append_block(context, self, "");
        let mut last = begin;
        for block in from.blocks() {
            block.move_behind(last);
            last = block;
        }
        // SAFETY: nothing refers to the block, which is new and empty.
        unsafe { begin.delete() };
    }

    /// Copies the attributes of function `from` at an index (parameters count from 1) to those of this one at `to`.
    pub fn copy_attributes(self, to: LLVMAttributeIndex, from: Value, index: LLVMAttributeIndex) {
        let count = llvm!(core::LLVMGetAttributeCountAtIndex(from.0, index)) as usize;
        let mut attributes = vec![std::ptr::null_mut(); count];
        llvm!(core::LLVMGetAttributesAtIndex(
            from.0,
            index,
            attributes.as_mut_ptr()
        ));
        for attribute in attributes {
            llvm!(core::LLVMAddAttributeAtIndex(self.0, to, attribute));
        }
    }
}
