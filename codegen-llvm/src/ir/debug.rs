//! Debug locations: where in the user's source an instruction comes from.

use llvm_sys::debuginfo::LLVMMetadataKind;
use llvm_sys::prelude::LLVMMetadataRef;

use super::{Context, Value};

/// One frame of an instruction's debug location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// File with its folder, as the compiler recorded them.
    pub file: String,
    /// Line, 0 when the compiler gave none.
    pub line: u32,
    /// Column, 0 when the compiler gave none.
    pub column: u32,
    /// Function as the source spells it.
    pub function: String,
}

impl Value {
    /// The frames of an instruction's debug location, innermost (most inlined) first; empty if none.
    pub fn locations(self, context: Context) -> Vec<Location> {
        let mut frames = Vec::new();
        let mut location = llvm!(debuginfo::LLVMInstructionGetDebugLoc(self.0));
        while !location.is_null() {
            frames.push(frame(context, location));
            location = llvm!(debuginfo::LLVMDILocationGetInlinedAt(location));
        }
        frames
    }

    /// Takes an instruction's place in the source away.
    pub fn drop_location(self) {
        llvm!(debuginfo::LLVMInstructionSetDebugLoc(
            self.0,
            std::ptr::null_mut()
        ));
    }

    /// If an instruction was inlined: makes it inlined by another call of the same line, at column 0, where no call of
    /// the program is.
    pub fn set_location_apart(self, context: Context) {
        let location = llvm!(debuginfo::LLVMInstructionGetDebugLoc(self.0));
        if location.is_null() {
            return;
        }
        let call = llvm!(debuginfo::LLVMDILocationGetInlinedAt(location));
        if call.is_null() {
            return;
        }
        let outer = llvm!(debuginfo::LLVMDILocationGetInlinedAt(call));
        let apart = with_call(context, call, 0, outer);
        let column = llvm!(debuginfo::LLVMDILocationGetColumn(location));
        let location = with_call(context, location, column, apart);
        llvm!(debuginfo::LLVMInstructionSetDebugLoc(self.0, location));
    }
}

/// A location with this column, inlined by this call.
fn with_call(
    context: Context,
    location: LLVMMetadataRef,
    column: u32,
    call: LLVMMetadataRef,
) -> LLVMMetadataRef {
    let line = llvm!(debuginfo::LLVMDILocationGetLine(location));
    let scope = llvm!(debuginfo::LLVMDILocationGetScope(location));
    llvm!(debuginfo::LLVMDIBuilderCreateDebugLocation(
        context.0, line, column, scope, call
    ))
}

fn frame(context: Context, location: LLVMMetadataRef) -> Location {
    let scope = llvm!(debuginfo::LLVMDILocationGetScope(location));
    let subprogram = subprogram_of(context, scope);
    let operand = |index: usize| subprogram.get(index).copied().flatten();
    Location {
        file: path_of(
            llvm!(debuginfo::LLVMDIScopeGetFile(scope)),
            operand(UNIT).and_then(|unit| file_of(context, unit)),
        ),
        line: llvm!(debuginfo::LLVMDILocationGetLine(location)),
        column: llvm!(debuginfo::LLVMDILocationGetColumn(location)),
        function: operand(NAME).map(metadata_string).unwrap_or_default(),
    }
}

/// A file's name as the user gave it to the compiler. Of one outside of the compiler's folder, clang writes a part of
/// the name only, and its own folder.
pub(super) fn path_of(file: LLVMMetadataRef, unit: Option<LLVMMetadataRef>) -> String {
    if file.is_null() {
        return String::new();
    }
    let (name, folder) = (name_of(file), folder_of(file));
    let given = name.starts_with('/') || unit.is_none_or(|unit| folder_of(unit) == folder);
    if given || folder.is_empty() {
        name
    } else {
        format!("{}/{name}", folder.trim_end_matches('/'))
    }
}

fn name_of(file: LLVMMetadataRef) -> String {
    let mut length = 0;
    let raw = llvm!(debuginfo::LLVMDIFileGetFilename(file, &mut length));
    text(raw, length)
}

fn folder_of(file: LLVMMetadataRef) -> String {
    let mut length = 0;
    let raw = llvm!(debuginfo::LLVMDIFileGetDirectory(file, &mut length));
    text(raw, length)
}

fn text(raw: *const std::ffi::c_char, length: u32) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returns a pointer to `length` bytes that live as long as the metadata.
    let bytes = unsafe { std::slice::from_raw_parts(raw.cast::<u8>(), length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Where `DILexicalBlock` and `DISubprogram` keep the scope around them, and where a subprogram its name and its
/// compile unit. The C API has no accessors for them, so metadata operands are read (`llvm/IR/DebugInfoMetadata.h`).
const SCOPE: usize = 1;
const NAME: usize = 2;
const UNIT: usize = 5;

/// The file of a compile unit: its first operand.
fn file_of(context: Context, unit: Value) -> Option<LLVMMetadataRef> {
    let unit = llvm!(core::LLVMValueAsMetadata(unit.0));
    let file = operands(context, unit).first().copied().flatten()?;
    Some(llvm!(core::LLVMValueAsMetadata(file.0)))
}

/// The operands of the subprogram that encloses a local scope; none if there is none.
fn subprogram_of(context: Context, mut scope: LLVMMetadataRef) -> Vec<Option<Value>> {
    for _ in 0..64 {
        let kind = llvm!(debuginfo::LLVMGetMetadataKind(scope));
        let operands = operands(context, scope);
        if matches!(kind, LLVMMetadataKind::LLVMDISubprogramMetadataKind) {
            return operands;
        }
        match operands.get(SCOPE).copied().flatten() {
            Some(outer) => scope = llvm!(core::LLVMValueAsMetadata(outer.0)),
            None => break,
        }
    }
    Vec::new()
}

pub(super) fn operands(context: Context, node: LLVMMetadataRef) -> Vec<Option<Value>> {
    tuple_operands(Value(llvm!(core::LLVMMetadataAsValue(context.0, node))))
}

impl Value {
    /// Removes an instruction's metadata of a kind.
    pub fn drop_metadata(self, context: Context, kind: &str) {
        let kind = llvm!(core::LLVMGetMDKindIDInContext(
            context.0,
            kind.as_ptr().cast(),
            kind.len() as u32
        ));
        llvm!(core::LLVMSetMetadata(self.0, kind, std::ptr::null_mut()));
    }

    /// Gives an instruction metadata of a kind: a tuple of constants.
    pub fn set_metadata(self, context: Context, kind: &str, constants: &[Value]) {
        let kind = llvm!(core::LLVMGetMDKindIDInContext(
            context.0,
            kind.as_ptr().cast(),
            kind.len() as u32
        ));
        let mut parts: Vec<LLVMMetadataRef> = constants
            .iter()
            .map(|constant| llvm!(core::LLVMValueAsMetadata(constant.0)))
            .collect();
        let tuple = llvm!(core::LLVMMDNodeInContext2(
            context.0,
            parts.as_mut_ptr(),
            parts.len()
        ));
        let tuple = llvm!(core::LLVMMetadataAsValue(context.0, tuple));
        llvm!(core::LLVMSetMetadata(self.0, kind, tuple));
    }

    /// How often a branch or a choice goes one way and the other.
    pub fn set_branch_weights(self, context: Context, weights: [Value; 2]) {
        let (kind, name) = ("prof", "branch_weights");
        let kind = llvm!(core::LLVMGetMDKindIDInContext(
            context.0,
            kind.as_ptr().cast(),
            kind.len() as u32
        ));
        let name = llvm!(core::LLVMMDStringInContext2(
            context.0,
            name.as_ptr().cast(),
            name.len()
        ));
        let [first, second] = weights.map(|weight| llvm!(core::LLVMValueAsMetadata(weight.0)));
        let mut parts = [name, first, second];
        let node = llvm!(core::LLVMMDNodeInContext2(
            context.0,
            parts.as_mut_ptr(),
            parts.len()
        ));
        let node = llvm!(core::LLVMMetadataAsValue(context.0, node));
        llvm!(core::LLVMSetMetadata(self.0, kind, node));
    }

    /// The integer that is an instruction's metadata of a kind, the tuple `!{i32 n}`.
    pub fn instruction_metadata_int(self, context: Context, kind: &str) -> Option<u64> {
        let parts = self.instruction_metadata(context, kind)?;
        parts.first().copied()??.as_int()
    }

    /// How often each edge of a branch is taken, next to the others (`!prof`). Weights that the program states have the
    /// word "expected" before them.
    pub fn branch_weights(self, context: Context) -> Option<Vec<u64>> {
        let parts = self.instruction_metadata(context, "prof")?.into_iter();
        Some(parts.filter_map(|part| part?.as_int()).collect())
    }

    /// The parts of an instruction's metadata of a kind, a tuple.
    fn instruction_metadata(self, context: Context, kind: &str) -> Option<Vec<Option<Value>>> {
        let kind = llvm!(core::LLVMGetMDKindIDInContext(
            context.0,
            kind.as_ptr().cast(),
            kind.len() as u32
        ));
        let tuple = llvm!(core::LLVMGetMetadata(self.0, kind));
        (!tuple.is_null()).then(|| tuple_operands(Value(tuple)))
    }

    /// The integer that is a function's metadata of a kind, the tuple `!{i32 n}`.
    pub fn metadata_int(self, context: Context, kind: &str) -> Option<u64> {
        self.metadata_operands(context, kind)?
            .first()
            .copied()??
            .as_int()
    }

    /// The operands of the tuple that is a function's metadata of a kind.
    pub fn metadata_operands(self, context: Context, kind: &str) -> Option<Vec<Option<Value>>> {
        let wanted = llvm!(core::LLVMGetMDKindIDInContext(
            context.0,
            kind.as_ptr().cast(),
            kind.len() as u32
        ));
        let mut count = 0;
        let entries = llvm!(core::LLVMGlobalCopyAllMetadata(self.0, &mut count));
        let found = (0..count as u32)
            .find(|&index| llvm!(core::LLVMValueMetadataEntriesGetKind(entries, index)) == wanted)
            .map(|index| llvm!(core::LLVMValueMetadataEntriesGetMetadata(entries, index)));
        llvm!(core::LLVMDisposeValueMetadataEntries(entries));
        Some(operands(context, found?))
    }
}

/// The operands of a metadata tuple.
pub(super) fn tuple_operands(tuple: Value) -> Vec<Option<Value>> {
    let count = llvm!(core::LLVMGetMDNodeNumOperands(tuple.0)) as usize;
    let mut raw = vec![std::ptr::null_mut(); count];
    llvm!(core::LLVMGetMDNodeOperands(tuple.0, raw.as_mut_ptr()));
    raw.into_iter().map(super::value::wrap).collect()
}

/// The text of a metadata string; empty for any other metadata.
pub fn metadata_string(value: Value) -> String {
    let mut length = 0;
    let raw = llvm!(core::LLVMGetMDString(value.0, &mut length));
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returns a pointer to `length` bytes that live as long as the metadata.
    let bytes = unsafe { std::slice::from_raw_parts(raw.cast::<u8>(), length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}
