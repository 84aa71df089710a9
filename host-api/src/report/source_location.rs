//! Source locations: clang's location strings.
//!
//! Constructs have `;file;function;line;column;;` (`ident_t::psource`), map items have
//! `;expression;file;line;column;;`. Without `-g` the first says `unknown` and the second is absent. The symbol of a
//! target region still names its function and line. flang 22 names its own module in the place of a construct's file,
//! and has `;file;unknown;line;column;;` for map items.

use std::ffi::CStr;
use std::fmt;

/// A location in the user's source.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SourceLocation {
    /// File, empty when unknown.
    pub file: String,
    /// Function, empty when unknown.
    pub function: String,
    /// Line, 0 when unknown.
    pub line: u32,
    /// Column, 0 when unknown.
    pub column: u32,
}

/// What flang says in the place of a file.
const FLANGS_MODULE: &str = "FIRModule";

impl SourceLocation {
    /// Parses an `ident_t::psource`.
    pub fn parse(text: &str) -> SourceLocation {
        let mut fields = text.trim_start_matches(';').split(';');
        let mut word = || {
            fields
                .next()
                .filter(|word| !["unknown", FLANGS_MODULE].contains(word))
                .unwrap_or("")
        };
        SourceLocation {
            file: word().to_owned(),
            function: word().to_owned(),
            line: word().parse().unwrap_or(0),
            column: word().parse().unwrap_or(0),
        }
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        self.line == 0 && self.function.is_empty()
    }

    /// The same as the contract with devices writes it, if it is known.
    pub fn in_source(&self) -> Option<plugin_api::SourceLocation> {
        (!self.is_unknown()).then(|| plugin_api::SourceLocation {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            function: self.function.clone(),
        })
    }

    /// The location in the symbol of a target region: `__omp_offloading_<device>_<file>_<function>_l<line>`.
    pub fn of_region(symbol: &str) -> Option<SourceLocation> {
        let rest = symbol.strip_prefix("__omp_offloading_")?;
        let (_, rest) = rest.split_once('_')?;
        let (_, rest) = rest.split_once('_')?;
        let (function, line) = rest.rsplit_once("_l")?;
        let digits = line.split('_').next()?;
        Some(SourceLocation {
            function: function.to_owned(),
            line: digits.parse().ok()?,
            ..Default::default()
        })
    }
}

/// The location text of a construct's `ident_t`, parsed only when a message needs it. The default is that of routines,
/// which have no `ident_t`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SourceIdent {
    is_given: bool,
    text: Option<&'static CStr>,
}

impl SourceIdent {
    /// The text of an `ident_t` with this `psource`.
    pub fn new(text: Option<&'static CStr>) -> SourceIdent {
        let is_given = true;
        SourceIdent { is_given, text }
    }

    /// Whether there is an `ident_t`.
    pub fn is_given(self) -> bool {
        self.is_given
    }

    /// The location.
    pub fn location(self) -> SourceLocation {
        let parse = |text: &CStr| SourceLocation::parse(&text.to_string_lossy());
        self.text.map(parse).unwrap_or_default()
    }
}

impl fmt::Display for SourceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.file.is_empty(), self.line) {
            (true, 0) => write!(f, "unknown location")?,
            (true, line) => write!(f, "line {line}")?,
            (false, line) => write!(f, "{}:{line}", self.file)?,
        }
        if !self.file.is_empty() && self.column != 0 {
            write!(f, ":{}", self.column)?;
        }
        if !self.function.is_empty() {
            write!(f, " in {}", self.function)?;
        }
        Ok(())
    }
}

/// The user's expression in a map item's name string, which flang does not give.
pub fn item_expression(text: &str) -> Option<&str> {
    let mut fields = text.trim_start_matches(';').split(';');
    let expression = fields.next().filter(|word| !word.is_empty())?;
    let is_flangs = fields.next() == Some("unknown") && expression.contains('/');
    (!is_flangs).then_some(expression)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ident_string() {
        let location = SourceLocation::parse(";m1.c;main;12;17;;");
        assert_eq!(location.to_string(), "m1.c:12:17 in main");
        assert!(SourceLocation::parse(";unknown;unknown;0;0;;").is_unknown());
    }

    #[test]
    fn strings_of_flang() {
        let location = SourceLocation::parse(";FIRModule;solve;79;11;;");
        assert_eq!(location.to_string(), "line 79 in solve");
        assert_eq!(item_expression(";/home/solve.f90;unknown;79;11;;"), None);
        assert_eq!(item_expression(";x[0:n];solve.c;79;11;;"), Some("x[0:n]"));
    }

    #[test]
    fn garbage_is_unknown() {
        for text in ["", ";", ";;;;", "x", ";a;b;notanumber;-3;;"] {
            assert_eq!(SourceLocation::parse(text).line, 0);
        }
    }

    #[test]
    fn region_symbol() {
        let location =
            SourceLocation::of_region("__omp_offloading_fe00_98e226_main_loop_l12").unwrap();
        assert_eq!(
            (location.function.as_str(), location.line),
            ("main_loop", 12)
        );
        assert_eq!(location.to_string(), "line 12 in main_loop");
        assert_eq!(
            SourceLocation::of_region("__omp_offloading_a_b_f_l7_1")
                .unwrap()
                .line,
            7
        );
        assert_eq!(SourceLocation::of_region("kernel"), None);
    }

    #[test]
    fn expression() {
        assert_eq!(item_expression(";p[10:20];m1.c;8;23;;"), Some("p[10:20]"));
        assert_eq!(item_expression(""), None);
    }
}
