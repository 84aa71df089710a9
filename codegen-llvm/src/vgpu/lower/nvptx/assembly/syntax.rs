//! The syntax of PTX's inline assembly: statements, guards and operands (PTX ISA, "Syntax").

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, `$0` of the constraints, a label or a name that PTX defines (`WARP_SZ`).
    Name(String),
    /// `%laneid`, or a register that the text declares with this sign.
    Special(String),
    /// A number; floating-point numbers are their bits.
    Number(u64),
    /// `[base+offset]`
    Address(Box<Operand>, i64),
    /// `[base, {x, y}]`: a place in a texture or surface.
    Texel(Box<Operand>, Vec<Operand>),
    /// `{a, b}`
    Tuple(Vec<Operand>),
    /// `a|p`
    Pair(Box<Operand>, Box<Operand>),
    /// `!p`
    Not(Box<Operand>),
    /// `-r`
    Negative(Box<Operand>),
}

/// What stands between two semicolons.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// `.reg .pred p, q;`
    Registers(String, Vec<String>),
    /// `L:`
    Label(String),
    /// `@!p add.u32 a, b, c;`
    Instruction(Instruction),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The predicate, and whether it is to hold.
    pub guard: Option<(String, bool)>,
    /// `add.u32` as `add`, `u32`.
    pub opcode: Vec<String>,
    /// What follows.
    pub operands: Vec<Operand>,
}

impl Instruction {
    /// Whether the opcode has this part.
    pub fn has(&self, part: &str) -> bool {
        self.opcode.iter().any(|each| each == part)
    }
}

/// The statements of a text. `None`: it is not PTX.
pub fn parse(text: &str) -> Option<Vec<Statement>> {
    // `$$` is a dollar of the program's.
    let text = without_comments(text).replace("$$", "dollar.");
    let mut statements = Vec::new();
    for piece in pieces(&text) {
        statement(piece.trim(), &mut statements)?;
    }
    Some(statements)
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    for line in text.lines() {
        kept += line.split("//").next().unwrap_or_default();
        kept.push('\n');
    }
    while let Some(begin) = kept.find("/*") {
        let end = kept[begin..]
            .find("*/")
            .map_or(kept.len(), |end| begin + end + 2);
        kept.replace_range(begin..end, " ");
    }
    kept
}

/// The text between semicolons. Braces at the begin of a statement are scopes.
fn pieces(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut begin, mut depth) = (0, 0);
    for (at, letter) in text.char_indices() {
        let at_start = text[begin..at].trim().is_empty();
        match letter {
            '{' | '}' if at_start && depth == 0 => begin = at + 1,
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' => {
                found.push(&text[begin..at]);
                (begin, depth) = (at + 1, 0);
            }
            _ => {}
        }
    }
    found.push(&text[begin..]);
    found
}

fn statement(text: &str, statements: &mut Vec<Statement>) -> Option<()> {
    if text.is_empty() {
        return Some(());
    }
    if let Some((label, rest)) = text.split_once(':')
        && !label.is_empty()
        && label.chars().all(is_of_name)
        && !rest.starts_with(':')
    {
        statements.push(Statement::Label(label.to_owned()));
        return statement(rest.trim(), statements);
    }
    if let Some(declared) = text.strip_prefix(".reg") {
        let (ty, names) = declared.trim().split_once(char::is_whitespace)?;
        // With or without a percent sign a name is the same register.
        let plain = |name: &str| name.trim().trim_start_matches('%').to_owned();
        let names = names.split(',').map(plain);
        let ty = ty.trim_start_matches('.').to_owned();
        statements.push(Statement::Registers(ty, names.collect()));
        return Some(());
    }
    statements.push(Statement::Instruction(instruction(text)?));
    Some(())
}

fn instruction(text: &str) -> Option<Instruction> {
    let (guard, text) = match text.strip_prefix('@') {
        Some(guarded) => {
            let (name, rest) = guarded.split_once(char::is_whitespace)?;
            let plain = name.trim_start_matches('!');
            let register = plain.trim_start_matches('%').to_owned();
            (Some((register, plain == name)), rest.trim())
        }
        None => (None, text),
    };
    let (opcode, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    Some(Instruction {
        guard,
        opcode: opcode.split('.').map(str::to_owned).collect(),
        operands: operands(rest)?,
    })
}

/// Operands, which commas outside of brackets separate.
fn operands(text: &str) -> Option<Vec<Operand>> {
    let mut found = Vec::new();
    let (mut begin, mut depth) = (0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => {
                found.push(operand(&text[begin..at])?);
                begin = at + 1;
            }
            _ => {}
        }
    }
    if !text[begin..].trim().is_empty() {
        found.push(operand(&text[begin..])?);
    }
    Some(found)
}

fn operand(text: &str) -> Option<Operand> {
    let text = text.trim();
    if let Some((left, right)) = text.split_once('|') {
        return Some(Operand::Pair(
            Box::new(operand(left)?),
            Box::new(operand(right)?),
        ));
    }
    if let Some(inner) = text.strip_prefix('{') {
        return Some(Operand::Tuple(operands(inner.strip_suffix('}')?)?));
    }
    if let Some(inner) = text.strip_prefix('[') {
        return address(inner.strip_suffix(']')?);
    }
    if let Some(inner) = text.strip_prefix('!') {
        return Some(Operand::Not(Box::new(operand(inner)?)));
    }
    if let Some(inner) = text
        .strip_prefix('-')
        .filter(|inner| inner.starts_with(['$', '%']))
    {
        return Some(Operand::Negative(Box::new(operand(inner)?)));
    }
    if let Some(name) = text.strip_prefix('%') {
        return Some(Operand::Special(name.trim_start_matches('%').to_owned()));
    }
    if text.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-') {
        return number(text).map(Operand::Number);
    }
    let is_name = !text.is_empty()
        && text
            .chars()
            .all(|letter| is_of_name(letter) || letter == '.');
    is_name.then(|| Operand::Name(text.to_owned()))
}

fn address(text: &str) -> Option<Operand> {
    if let Some((base, at)) = text.split_once(',') {
        let coordinates = match operand(at)? {
            Operand::Tuple(parts) => parts,
            one => vec![one],
        };
        return Some(Operand::Texel(Box::new(operand(base)?), coordinates));
    }
    let (base, offset) = match text.rsplit_once('+') {
        Some((base, offset)) => (base, number(offset.trim())? as i64),
        None => (text, 0),
    };
    Some(Operand::Address(Box::new(operand(base)?), offset))
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$')
}

/// `12`, `-1`, `0xff`, `0f3f800000`, `0d…`, `1.5`; a `U` at the end says nothing.
fn number(text: &str) -> Option<u64> {
    let (text, negative) = match text.strip_prefix('-') {
        Some(rest) => (rest.trim(), true),
        None => (text, false),
    };
    let lower = text.to_ascii_lowercase();
    let bits = |prefix| {
        lower
            .strip_prefix(prefix)
            .filter(|digits: &&str| digits.len() >= 8)
    };
    let value = if let Some(digits) = bits("0f").or_else(|| bits("0d")) {
        u64::from_str_radix(digits, 16).ok()?
    } else if let Some(digits) = lower.strip_prefix("0x") {
        u64::from_str_radix(digits.trim_end_matches('u'), 16).ok()?
    } else if lower.contains('.') {
        lower.parse::<f64>().ok()?.to_bits()
    } else {
        lower.trim_end_matches('u').parse().ok()?
    };
    Some(if negative {
        value.wrapping_neg()
    } else {
        value
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Operand {
        Operand::Name(text.to_owned())
    }

    #[test]
    fn a_scan_of_cubs() {
        let text = "{ .reg .u32 r0; .reg .pred p; shfl.sync.up.b32 r0|p, $1, $2, 0x1f, -1; @!p add.u32 r0, r0, $4; }";
        let statements = parse(text).unwrap();
        assert_eq!(
            statements[0],
            Statement::Registers("u32".into(), vec!["r0".into()])
        );
        let Statement::Instruction(shuffle) = &statements[2] else {
            panic!("{statements:?}")
        };
        assert_eq!(shuffle.opcode, ["shfl", "sync", "up", "b32"]);
        assert_eq!(
            shuffle.operands[0],
            Operand::Pair(Box::new(name("r0")), Box::new(name("p")))
        );
        assert_eq!(
            shuffle.operands[3..],
            [Operand::Number(31), Operand::Number(u64::MAX)]
        );
        let Statement::Instruction(add) = &statements[3] else {
            panic!("{statements:?}")
        };
        assert_eq!(add.guard, Some(("p".into(), false)));
        assert_eq!(statements.len(), 4);
    }

    #[test]
    fn tuples_addresses_and_labels() {
        let statements =
            parse("L1: mov.b64 {lo, hi}, $0; // a comment\n ld.cg.v2.u32 {a,b}, [$1+8]; bra L1;")
                .unwrap();
        assert_eq!(statements[0], Statement::Label("L1".into()));
        let Statement::Instruction(load) = &statements[2] else {
            panic!("{statements:?}")
        };
        assert_eq!(load.operands[0], Operand::Tuple(vec![name("a"), name("b")]));
        assert_eq!(load.operands[1], Operand::Address(Box::new(name("$1")), 8));
    }

    #[test]
    fn texels_and_registers_with_a_sign() {
        let text = "{.reg .pred %%p0; tex.2d.v4.f32.f32 {$0, $1}|%%p0, [$5, {$6, $7}]; }";
        let statements = parse(text).unwrap();
        assert_eq!(
            statements[0],
            Statement::Registers("pred".into(), vec!["p0".into()])
        );
        let Statement::Instruction(fetch) = &statements[1] else {
            panic!("{statements:?}")
        };
        let pair = Operand::Pair(
            Box::new(Operand::Tuple(vec![name("$0"), name("$1")])),
            Box::new(Operand::Special("p0".into())),
        );
        let texel = Operand::Texel(Box::new(name("$5")), vec![name("$6"), name("$7")]);
        assert_eq!(fetch.operands, [pair, texel]);
    }

    #[test]
    fn numbers() {
        assert_eq!(number("0f3F800000"), Some(0x3f80_0000));
        assert_eq!(number("0xFFu"), Some(255));
        assert_eq!(number("one"), None);
    }
}
