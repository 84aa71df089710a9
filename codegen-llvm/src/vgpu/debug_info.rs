//! Turns NVPTX's debug information into line tables that x86 debuggers and our own loader read. Needs: a valid module.
//!
//! At `-g -O2` clang gives NVPTX modules `DebugDirectivesOnly`, which means "`.loc` for ptxas, no DWARF". On x86 that
//! would be lines without the compilation units that name them. The emission kind is not an operand of the metadata, so
//! LLVM's C API cannot change it. A module with this kind of debug information goes through its text form instead.

use anyhow::Result;

use super::unit::Unit;
use crate::ir::Module;

const NVPTX_KIND: &str = "emissionKind: DebugDirectivesOnly";
const HOST_KIND: &str = "emissionKind: LineTablesOnly";

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if !unit
        .module
        .named_metadata_text("llvm.dbg.cu")
        .iter()
        .any(|text| text.contains(NVPTX_KIND))
    {
        return Ok(());
    }
    let text: Vec<_> = unit
        .module
        .print()
        .split_inclusive('\n')
        .map(with_line_tables)
        .collect();
    unit.module = Module::parse(
        unit.context(),
        &text.concat(),
        "the module with line tables",
    )?;
    Ok(())
}

/// Changes a line that defines a compilation unit, and no other: a string may have the same text.
fn with_line_tables(line: &str) -> String {
    if line.starts_with('!') && line.contains("!DICompileUnit(") {
        return line.replace(NVPTX_KIND, HOST_KIND);
    }
    line.to_owned()
}
