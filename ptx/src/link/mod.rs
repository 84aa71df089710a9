//! Several texts become one, as `nvlink` makes one program of several objects: names that a module keeps to itself get
//! new names where another module has them, and declarations give way to definitions.

mod adapter;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use logos::Logos;

use self::adapter::Shape;
use crate::error::Error;
use crate::lexer::{self, Token};
use crate::parser;
use crate::syntax::{Linkage, Space};

/// One text of the given ones. The number of the one that is wrong stands before the error.
pub fn link(texts: &[&str]) -> Result<String, (usize, Error)> {
    let inputs = texts.iter().enumerate();
    let inputs = inputs.map(|(number, text)| Input::read(text).map_err(|error| (number, error)));
    let inputs: Vec<Input<'_>> = inputs.collect::<Result<_, _>>()?;
    let owners = owners(&inputs)?;
    let mut text = header(&inputs);
    let mut files = 0;
    let mut adapters = String::new();
    for (number, input) in inputs.iter().enumerate() {
        let mut names = input.renamed(number, &inputs);
        let adapted = adapted(number, &inputs, &owners);
        for (name, (new, definition)) in &adapted {
            adapters += definition;
            names.insert(name, new.clone());
        }
        for (index, item) in input.items.iter().enumerate() {
            if is_kept(item, (number, index), &owners) {
                input.write(item, &names, files, &mut text);
            } else if let What::Named(name, ..) = item.what
                && adapted.contains_key(name)
            {
                input.write(&input.without_linkage(item), &names, files, &mut text);
            }
        }
        files += input.files;
    }
    Ok(text + &adapters)
}

/// The functions that a module calls by adapters: their names and texts.
fn adapted<'a>(
    number: usize,
    inputs: &[Input<'a>],
    owners: &Owners<'a>,
) -> BTreeMap<&'a str, (String, String)> {
    let input = &inputs[number];
    let shapes = input.shapes.iter().filter_map(|(&name, declared)| {
        let ((owner, _), _, is_defined) = *owners.get(name)?;
        let definition = inputs[owner].shapes.get(name)?;
        if !is_defined || owner == number || !declared.needs_adapter(definition) {
            return None;
        }
        let new = format!("{name}$declared{number}");
        let text = declared.adapter(&new, name, definition);
        Some((name, (new, text)))
    });
    shapes.collect()
}

/// What a part of a module is.
#[derive(Debug, PartialEq)]
enum What<'a> {
    /// `.version`, `.target`, `.address_size`: the directive.
    Header(&'a str),
    /// Debug information.
    Section,
    /// A variable or a function, and whether it has a value or a body.
    Named(&'a str, Linkage, bool),
    /// `.file`, `.pragma`, `.alias`.
    Other,
}

/// A part of a module: its tokens, by number.
struct Item<'a> {
    what: What<'a>,
    tokens: Range<usize>,
}

/// A module.
struct Input<'a> {
    text: &'a str,
    tokens: Vec<(Token<'a>, Range<usize>)>,
    places: Vec<crate::Position>,
    items: Vec<Item<'a>>,
    /// What functions take and return, by name.
    shapes: HashMap<&'a str, Shape<'a>>,
    /// The highest number of a `.file`.
    files: u64,
}

/// Who defines a name for others: the module and the item.
type Owners<'a> = HashMap<&'a str, ((usize, usize), Linkage, bool)>;

/// The definition of each name that modules share; else the first declaration.
fn owners<'a>(inputs: &[Input<'a>]) -> Result<Owners<'a>, (usize, Error)> {
    let mut owners = Owners::new();
    for (number, input) in inputs.iter().enumerate() {
        for (index, item) in input.items.iter().enumerate() {
            let What::Named(name, linkage, is_defined) = item.what else {
                continue;
            };
            if linkage == Linkage::Internal {
                continue;
            }
            let this = ((number, index), linkage, is_defined);
            let Some(known) = owners.get_mut(name) else {
                owners.insert(name, this);
                continue;
            };
            let strong = |(_, linkage, is_defined): &(_, Linkage, bool)| {
                *is_defined && *linkage == Linkage::Visible
            };
            if strong(known) && strong(&this) && known.0.0 != number {
                let position = input.places[item.tokens.start];
                let what = format!("`{name}` is in another module, too");
                return Err((number, Error::new(position, what)));
            }
            if is_defined && (!known.2 || strong(&this)) {
                *known = this;
            }
        }
    }
    Ok(owners)
}

/// Whether a part stays: definitions of their owners, declarations unless there is a definition.
fn is_kept(item: &Item<'_>, place: (usize, usize), owners: &Owners<'_>) -> bool {
    match item.what {
        What::Header(_) | What::Section => false,
        What::Other | What::Named(_, Linkage::Internal, _) => true,
        What::Named(name, ..) => owners.get(name).is_some_and(|owner| owner.0 == place),
    }
}

/// The newest version, and the newest architecture.
fn header(inputs: &[Input<'_>]) -> String {
    let values = |wanted: &'static str| {
        let items = inputs.iter().flat_map(move |input| {
            let found = input.items.iter();
            let found = found.filter(move |item| item.what == What::Header(wanted));
            found.map(|item| input.source(item))
        });
        // Numbers compare by their length first.
        items.max_by_key(|text| {
            let digits = text.split(',').next().unwrap_or_default().trim_end();
            (digits.len(), digits)
        })
    };
    let lines = ["version", "target", "address_size"].map(values);
    let lines = lines.into_iter().flatten();
    lines.fold(String::new(), |text, line| text + line + "\n")
}

impl<'a> Input<'a> {
    fn read(text: &'a str) -> Result<Input<'a>, Error> {
        let located = lexer::tokens(text)?;
        let places: Vec<_> = located.iter().map(|token| token.position).collect();
        let functions = parser::parse(located)?.functions;
        let functions = functions.iter().filter(|function| !function.kernel);
        let shapes = functions.map(|function| (function.name, Shape::of(function)));
        let shapes = shapes.collect();
        let spanned = Token::lexer(text).spanned();
        let tokens: Vec<_> = spanned
            .filter_map(|(token, at)| Some((token.ok()?, at)))
            .collect();
        let mut input = Input {
            text,
            tokens,
            places,
            items: Vec::new(),
            shapes,
            files: 0,
        };
        let mut next = 0;
        while next < input.tokens.len() {
            let item = input.item(next);
            next = item.tokens.end;
            input.items.push(item);
        }
        input.files = input.numbers_of("file").max().unwrap_or(0);
        Ok(input)
    }

    fn token(&self, index: usize) -> Option<Token<'a>> {
        self.tokens.get(index).map(|(token, _)| *token)
    }

    /// Numbers behind a directive.
    fn numbers_of(&self, directive: &'static str) -> impl Iterator<Item = u64> {
        let pairs = self.tokens.windows(2);
        pairs.filter_map(move |pair| match (pair[0].0, pair[1].0) {
            (Token::Dotted(word), Token::Number(number)) if word == directive => {
                number.parse().ok()
            }
            _ => None,
        })
    }

    /// The part that begins at a token.
    fn item(&self, begin: usize) -> Item<'a> {
        let mut at = begin;
        let mut linkage = Linkage::Internal;
        while let Some(Token::Dotted(word)) = self.token(at) {
            linkage = match word {
                "visible" => Linkage::Visible,
                // Any number of modules may have such a variable.
                "weak" | "common" => Linkage::Weak,
                "extern" => Linkage::External,
                _ => break,
            };
            at += 1;
        }
        let item = |what, end| Item {
            what,
            tokens: begin..end,
        };
        match self.token(at) {
            Some(Token::Dotted(word @ ("version" | "target" | "address_size"))) => {
                item(What::Header(word), self.line_end(at))
            }
            Some(Token::Dotted("file")) => item(What::Other, self.line_end(at)),
            Some(Token::Dotted("section")) => item(What::Section, self.body_end(at)),
            Some(Token::Dotted("entry")) => {
                let (name, end, is_defined) = self.function(at);
                // A kernel is found by its name, whatever it says of who sees it.
                item(What::Named(name, Linkage::Visible, is_defined), end)
            }
            Some(Token::Dotted("func")) => {
                let (name, end, is_defined) = self.function(at);
                item(What::Named(name, linkage, is_defined), end)
            }
            Some(Token::Dotted(word)) if Space::of(word).is_some() => {
                let end = self.statement_end(at);
                let is_defined = linkage != Linkage::External;
                item(
                    What::Named(self.variable(at, end), linkage, is_defined),
                    end,
                )
            }
            _ => item(What::Other, self.statement_end(at)),
        }
    }

    /// A function's declaration from its `.func` on.
    fn without_linkage(&self, item: &Item<'a>) -> Item<'a> {
        let is_function = |&at: &usize| self.token(at) == Some(Token::Dotted("func"));
        let begin = item.tokens.clone().find(is_function);
        Item {
            what: What::Other,
            tokens: begin.unwrap_or(item.tokens.start)..item.tokens.end,
        }
    }

    /// Behind the last token of a line.
    fn line_end(&self, begin: usize) -> usize {
        let line = self.places[begin].line;
        let rest = self.places[begin..].iter();
        begin + rest.take_while(|place| place.line == line).count()
    }

    /// Behind the semicolon that is in no braces.
    fn statement_end(&self, begin: usize) -> usize {
        let mut depth = 0usize;
        for at in begin..self.tokens.len() {
            match self.tokens[at].0 {
                Token::OpenBrace => depth += 1,
                Token::CloseBrace => depth = depth.saturating_sub(1),
                Token::Semicolon if depth == 0 => return at + 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// Behind the brace that closes the first one.
    fn body_end(&self, begin: usize) -> usize {
        let mut depth = 0usize;
        for at in begin..self.tokens.len() {
            match self.tokens[at].0 {
                Token::OpenBrace => depth += 1,
                Token::CloseBrace if depth <= 1 => return at + 1,
                Token::CloseBrace => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// Name and end of a function, and whether it has a body.
    fn function(&self, begin: usize) -> (&'a str, usize, bool) {
        let mut name = "";
        let mut depth = 0usize;
        for at in begin..self.tokens.len() {
            match self.tokens[at].0 {
                Token::OpenParenthesis => depth += 1,
                Token::CloseParenthesis => depth = depth.saturating_sub(1),
                Token::Word(word) if depth == 0 && name.is_empty() => name = word,
                Token::OpenBrace => return (name, self.body_end(at), true),
                Token::Semicolon => return (name, at + 1, false),
                _ => {}
            }
        }
        (name, self.tokens.len(), false)
    }

    /// The name of a variable: the first word.
    fn variable(&self, begin: usize, end: usize) -> &'a str {
        let words = self.tokens[begin..end].iter();
        let mut words = words.filter_map(|(token, _)| match token {
            Token::Word(word) => Some(*word),
            _ => None,
        });
        words.next().unwrap_or_default()
    }

    fn source(&self, item: &Item<'_>) -> &'a str {
        match self.tokens.get(item.tokens.clone()) {
            Some([first, .., last]) => &self.text[first.1.start..last.1.end],
            Some([one]) => &self.text[one.1.clone()],
            _ => "",
        }
    }

    /// New names for what the module keeps to itself and another one has, too.
    fn renamed(&self, number: usize, inputs: &[Input<'a>]) -> HashMap<&'a str, String> {
        let others = inputs
            .iter()
            .enumerate()
            .filter(|(other, _)| *other < number);
        let others = others.flat_map(|(_, input)| input.names());
        let shared = inputs
            .iter()
            .flat_map(Input::names)
            .filter(|(_, linkage)| *linkage != Linkage::Internal);
        let taken: std::collections::HashSet<_> =
            others.chain(shared).map(|(name, _)| name).collect();
        let own = self
            .names()
            .filter(|(name, linkage)| *linkage == Linkage::Internal && taken.contains(name));
        own.map(|(name, _)| (name, format!("{name}$unit{number}")))
            .collect()
    }

    fn names(&self) -> impl Iterator<Item = (&'a str, Linkage)> {
        self.items.iter().filter_map(|item| match item.what {
            What::Named(name, linkage, _) => Some((name, linkage)),
            _ => None,
        })
    }

    /// Writes a part with its new names and numbers of files.
    fn write(&self, item: &Item<'_>, names: &HashMap<&str, String>, files: u64, text: &mut String) {
        let Some((_, first)) = self.tokens.get(item.tokens.start) else {
            return;
        };
        let mut done = first.start;
        for index in item.tokens.clone() {
            let (token, at) = &self.tokens[index];
            let before = index.checked_sub(1).and_then(|before| self.token(before));
            let new = match (before, token) {
                (_, Token::Word(word)) => names.get(word).map(|name| Cow::Borrowed(name.as_str())),
                (Some(Token::Dotted("file" | "loc")), Token::Number(number)) => {
                    let number = number.parse::<u64>().ok();
                    number.map(|number| Cow::Owned((number + files).to_string()))
                }
                _ => None,
            };
            if let Some(new) = new {
                text.push_str(&self.text[done..at.start]);
                text.push_str(&new);
                done = at.end;
            }
            if index + 1 == item.tokens.end {
                text.push_str(&self.text[done..at.end]);
            }
        }
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".version 7.0\n.target sm_52\n.address_size 64\n";
    const NEWER: &str = ".version 8.3\n.target sm_80, debug\n.address_size 64\n";

    fn linked(texts: &[&str]) -> String {
        let whole: Vec<_> = texts.iter().map(|text| format!("{HEAD}{text}")).collect();
        let whole: Vec<_> = whole.iter().map(String::as_str).collect();
        let text = link(&whole).unwrap();
        crate::translate(&text).unwrap();
        text.strip_prefix(HEAD).unwrap().to_owned()
    }

    #[test]
    fn the_newest_header_stays() {
        let texts = [
            format!("{HEAD}.global .u32 a;"),
            format!("{NEWER}.global .u32 b;"),
        ];
        let text = link(&[&texts[0], &texts[1]]).unwrap();
        assert_eq!(text, format!("{NEWER}.global .u32 a;\n.global .u32 b;\n"));
    }

    #[test]
    fn declarations_give_way_to_definitions() {
        let text = linked(&[
            ".extern .global .u32 a;\n.extern .func f(.param .b32 x);\n.extern .func g;",
            ".visible .global .u32 a = 1;\n.visible .func f(.param .b32 x) { ret; }\n.extern .func g;",
        ]);
        let f = ".visible .func f(.param .b32 x) { ret; }";
        assert_eq!(
            text,
            format!(".extern .func g;\n.visible .global .u32 a = 1;\n{f}\n")
        );
    }

    #[test]
    fn a_module_keeps_its_own_names() {
        let text = linked(&[
            ".func f { ret; }\n.visible .entry k() { call f; ret; }",
            ".func f { ret; }\n.visible .entry l() { call f; ret; }",
        ]);
        assert!(text.contains("k() { call f;"), "{text}");
        assert!(text.contains("l() { call f$unit1;"), "{text}");
    }

    #[test]
    fn one_of_weak_definitions_stays() {
        let weak = ".weak .func f { ret; }\n";
        let strong = ".visible .func f { exit; }\n";
        assert_eq!(linked(&[weak, weak]), weak);
        assert_eq!(linked(&[weak, strong]), strong);
        let common = ".common .global .u64 c;\n";
        assert_eq!(linked(&[common, common]), common);
        let twice = [format!("{HEAD}{strong}"), format!("{HEAD}\n{strong}")];
        let (number, error) = link(&[&twice[0], &twice[1]]).unwrap_err();
        assert_eq!((number, error.position.line), (1, 5));
    }

    #[test]
    fn files_get_new_numbers() {
        let unit = ".file 1 \"a.cu\"\n.visible .func NAME { .loc 1 7 2\n ret; }\n";
        let (one, other) = (unit.replace("NAME", "f"), unit.replace("NAME", "g"));
        let text = linked(&[&one, &other]);
        assert!(
            text.contains(".file 2") && text.contains("g { .loc 2 7 2"),
            "{text}"
        );
    }

    /// One of the two returns something, the other does not.
    #[test]
    fn results_that_are_not_the_definitions() {
        let caller = "call (r), f, (a, s);";
        let user = ".visible .entry k() { .param .b64 r; .param .b32 a; .param .align 4 .b8 s[8];";
        let user = format!(
            ".extern .func (.param .b64 r) f(.param .b32 a, .param .align 4 .b8 s[8]);\n{user} {caller} ret; }}\n"
        );
        let without = |text: &str| text.replace("(.param .b64 r) ", "").replace("(r), ", "");
        let body =
            ".visible .func (.param .b64 r) f(.param .b32 x, .param .align 4 .b8 y[8]) { ret; }\n";
        let text = linked(&[&user, &without(body)]);
        assert!(text.contains("call (r), f$declared0, (a, s);"), "{text}");
        assert!(
            text.contains("call f, ($passed0, $passed1);\nst.param.b64 [$result0], 0;"),
            "{text}"
        );
        let text = linked(&[body, &without(&user)]);
        assert!(text.contains("call f$declared1, (a, s);"), "{text}");
        assert!(
            text.contains("call ($dropped0), f, ($passed0, $passed1);\nret;"),
            "{text}"
        );
        // Parameters are compared.
        let other = body
            .replace(".b32 x", ".b64 x")
            .replace("(.param .b64 r) ", "");
        assert!(!linked(&[&other, &without(&user)]).contains("$declared"));
        let both = [&user, &other].map(|text| format!("{HEAD}{text}"));
        let text = link(&[&both[0], &both[1]]).unwrap();
        assert!(crate::translate(&text).is_err());
    }

    #[test]
    fn a_mistake_is_placed_in_its_text() {
        let (number, error) = link(&[HEAD, ".version 8.0\n.func ;;{"]).unwrap_err();
        assert_eq!((number, error.position.line), (1, 2));
    }
}
