//! What the program calls a variable: from its debug information, else from its symbol.

use vgpu_abi::artifact::Site;

use crate::ir::{Context, Location, Value};

/// What a symbol has behind the name of a local variable that LLVM has moved to shared memory.
const SHARED: &str = "_shared";

/// The declaration of a global variable. Without debug information only its name is known.
pub fn of_global(context: Context, variable: Value) -> Option<Site> {
    if let Some(declaration) = variable.global_declaration(context) {
        return Some(site(declaration));
    }
    let symbol = variable.name();
    Some(Site {
        function: in_symbol(&symbol)?.to_owned(),
        ..Site::default()
    })
}

/// The place of a declaration.
pub fn site(declaration: Location) -> Site {
    Site {
        file: declaration.file,
        line: declaration.line,
        column: declaration.column,
        function: declaration.function,
    }
}

/// The variable's name in a symbol of C, C++, Fortran or OpenCL C.
fn in_symbol(symbol: &str) -> Option<&str> {
    let name = if let Some(mangled) = symbol.strip_prefix("_Z") {
        last_source_name(mangled)?
    } else if let Some(fortran) = symbol.strip_prefix("_Q") {
        fortran.rsplit('E').next()?
    } else {
        // OpenCL C's local variables are `kernel.name`. LLVM makes names distinct with `.1` behind them.
        let mut parts = symbol.rsplit('.');
        parts.find(|part| !part.bytes().all(|byte| byte.is_ascii_digit()))?
    };
    let name = name.strip_suffix(SHARED).unwrap_or(name);
    (!name.is_empty()).then_some(name)
}

/// The last `<source-name>`, a length and so many letters, of a mangled name (Itanium C++ ABI, §5.1.2).
fn last_source_name(mangled: &str) -> Option<&str> {
    let (mut rest, mut last) = (mangled, None);
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let tail = &rest[at..];
        let digits = tail.find(|letter: char| !letter.is_ascii_digit());
        let digits = digits.unwrap_or(tail.len());
        if is_literal(&rest[..at]) {
            rest = &tail[digits..];
            continue;
        }
        let length: usize = tail[..digits].parse().ok()?;
        match tail.get(digits..).and_then(|name| name.get(..length)) {
            Some(name) if length > 0 => {
                last = Some(name);
                rest = &tail[digits + length..];
            }
            // The number of a discriminator or of a substitution.
            _ => rest = &tail[digits..],
        }
    }
    last
}

/// Whether what follows is the number of an `<expr-primary>`: `L`, a letter for the type, perhaps `n` for minus.
fn is_literal(before: &str) -> bool {
    let before = before.strip_suffix('n').unwrap_or(before);
    before.bytes().rev().nth(1) == Some(b'L')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_symbols() {
        for (symbol, name) in [
            ("table", "table"),
            ("_ZL5table", "table"),
            ("_ZZ4tilePiE4tile", "tile"),
            ("_ZZ4tilePiE4tile_0", "tile"),
            ("_ZZ4tileI3FooLi12EEvPT_E5cells", "cells"),
            ("_ZN2ns5tableE", "table"),
            ("reverse.tile", "tile"),
            ("reverse.tile.3", "tile"),
            ("_QMmodEtable", "table"),
            ("sums_shared", "sums"),
        ] {
            assert_eq!(in_symbol(symbol), Some(name), "{symbol}");
        }
        for symbol in ["", "_Z", "_Z99x", ".1", "_shared"] {
            assert_eq!(in_symbol(symbol), None, "{symbol}");
        }
    }
}
