//! Debug information of variables: what they are called, and where they are declared.

use std::collections::HashMap;

use llvm_sys::LLVMDbgRecordKind;
use llvm_sys::prelude::{LLVMDbgRecordRef, LLVMMetadataRef};

use super::debug::{metadata_string, operands, path_of};
use super::{Context, Location, Value};

/// Where variables keep their names: an operand that `DILocalVariable` and `DIGlobalVariable` share
/// (`llvm/IR/DebugInfoMetadata.h`).
const NAME: usize = 1;

impl Value {
    /// The declaration of a global variable, named by the variable; nothing without debug information of it.
    pub fn global_declaration(self, context: Context) -> Option<Location> {
        let expression = self.metadata_operands(context, "dbg")?;
        let variable = expression.first().copied().flatten()?;
        declaration(context, llvm!(core::LLVMValueAsMetadata(variable.0)))
    }

    /// The declarations of a function's local variables that are in memory, by the instruction that makes each.
    pub fn local_declarations(self, context: Context) -> HashMap<Value, Location> {
        let records = self.instructions().into_iter().flat_map(records);
        records
            .filter_map(|record| {
                let place = Value(llvm!(core::LLVMDbgVariableRecordGetValue(record, 0)));
                let variable = llvm!(core::LLVMDbgVariableRecordGetVariable(record));
                Some((place, declaration(context, variable)?))
            })
            .collect()
    }
}

/// The records before an instruction that say where a variable is in memory.
fn records(instruction: Value) -> Vec<LLVMDbgRecordRef> {
    let some = |record: LLVMDbgRecordRef| (!record.is_null()).then_some(record);
    let first = some(llvm!(core::LLVMGetFirstDbgRecord(instruction.0)));
    std::iter::successors(first, |&record| {
        some(llvm!(core::LLVMGetNextDbgRecord(record)))
    })
    .filter(|&record| {
        let kind = llvm!(core::LLVMDbgRecordGetKind(record));
        kind == LLVMDbgRecordKind::LLVMDbgRecordDeclare
    })
    .collect()
}

fn declaration(context: Context, variable: LLVMMetadataRef) -> Option<Location> {
    if variable.is_null() {
        return None;
    }
    let name = operands(context, variable).get(NAME).copied().flatten()?;
    Some(Location {
        file: path_of(llvm!(debuginfo::LLVMDIVariableGetFile(variable)), None),
        line: llvm!(debuginfo::LLVMDIVariableGetLine(variable)),
        column: 0,
        function: metadata_string(name),
    })
}
