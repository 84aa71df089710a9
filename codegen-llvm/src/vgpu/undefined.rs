//! Refuses symbols that the engine cannot resolve: neither its own functions nor the C library's that it offers.
//!
//! Needs: an optimised module.

use anyhow::{Result, bail};
use vgpu_abi::{
    CHECK_SYMBOLS, CHECKED_SYMBOLS, ENGINE_SYMBOLS, LIBRARY_SYMBOLS, WARP_ENGINE_SYMBOLS,
    checked_symbol,
};

use super::unit::Unit;
use crate::analysis::source_locations::describe_use;

/// Whether the engine can resolve a symbol.
pub fn is_known(symbol: &str) -> bool {
    let mut checked = CHECKED_SYMBOLS.iter().map(|plain| checked_symbol(plain));
    [
        ENGINE_SYMBOLS,
        WARP_ENGINE_SYMBOLS,
        CHECK_SYMBOLS,
        LIBRARY_SYMBOLS,
    ]
    .iter()
    .any(|known| known.contains(&symbol))
        || checked.any(|known| known == symbol)
}

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let mut missing = Vec::new();
    for symbol in unit
        .module
        .functions()
        .into_iter()
        .chain(unit.module.globals())
    {
        let name = symbol.name();
        if !symbol.is_declaration()
            || symbol.is_unused()
            || symbol.is_intrinsic()
            || is_known(&name)
            || unit.shared.contains(&name)
        {
            continue;
        }
        let (verb, place) = (
            if symbol.is_function() {
                "calls"
            } else {
                "uses"
            },
            describe_use(unit.context(), symbol),
        );
        missing.push(if name == "__kmpc_threadprivate_cached" {
            format!(
                "a threadprivate variable is used {place}: devices have none (OpenMP 5.2, §13.8); \
                 give the region a copy, with firstprivate or map"
            )
        } else {
            format!(
                "device code {verb} `{name}`, which neither the program nor the device runtime defines, {place}"
            )
        });
    }
    if missing.is_empty() {
        return Ok(());
    }
    bail!("{}", missing.join("\n"))
}
