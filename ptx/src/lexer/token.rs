//! The kinds of tokens.

use std::fmt;

use logos::Logos;

/// A token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0c\x0b]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub enum Token<'a> {
    /// A name, an opcode, a register: `add`, `%r1`, `$L__BB0_1`, `_`.
    #[regex(r"[a-zA-Z_$%][a-zA-Z0-9_$]*")]
    Word(&'a str),
    /// What follows a dot: a directive, a type, a modifier. `::` joins parts.
    #[regex(r"\.[a-zA-Z0-9_]+(::[a-zA-Z0-9_]+)*", |lex| &lex.slice()[1..])]
    Dotted(&'a str),
    /// A number as it is written.
    #[regex(r"0[fF][0-9a-fA-F]+|0[dD][0-9a-fA-F]+|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|[0-9]+U?")]
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")]
    Number(&'a str),
    /// A string, without its quotes.
    #[regex(r#""[^"\n]*""#, |lex| &lex.slice()[1..lex.slice().len() - 1])]
    Text(&'a str),
    /// `,`
    #[token(",")]
    Comma,
    /// `;`
    #[token(";")]
    Semicolon,
    /// `:`
    #[token(":")]
    Colon,
    /// `(`
    #[token("(")]
    OpenParenthesis,
    /// `)`
    #[token(")")]
    CloseParenthesis,
    /// `{`
    #[token("{")]
    OpenBrace,
    /// `}`
    #[token("}")]
    CloseBrace,
    /// `[`
    #[token("[")]
    OpenBracket,
    /// `]`
    #[token("]")]
    CloseBracket,
    /// `<`
    #[token("<")]
    Less,
    /// `>`
    #[token(">")]
    Greater,
    /// `+`
    #[token("+")]
    Plus,
    /// `-`
    #[token("-")]
    Minus,
    /// `!`
    #[token("!")]
    Not,
    /// `|`
    #[token("|")]
    Bar,
    /// `@`
    #[token("@")]
    At,
    /// `=`
    #[token("=")]
    Equals,
    /// `*`
    #[token("*")]
    Star,
    /// `/`
    // A comment that does not end is none.
    #[token("/", |lex| !lex.remainder().starts_with('*'))]
    Slash,
    /// `&`
    #[token("&")]
    Ampersand,
    /// `^`
    #[token("^")]
    Caret,
    /// `~`
    #[token("~")]
    Tilde,
    /// `?`
    #[token("?")]
    Question,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Token::Word(text) | Token::Number(text) => text,
            Token::Dotted(text) => return write!(f, "`.{text}`"),
            Token::Text(text) => return write!(f, "`\"{text}\"`"),
            Token::Comma => ",",
            Token::Semicolon => ";",
            Token::Colon => ":",
            Token::OpenParenthesis => "(",
            Token::CloseParenthesis => ")",
            Token::OpenBrace => "{",
            Token::CloseBrace => "}",
            Token::OpenBracket => "[",
            Token::CloseBracket => "]",
            Token::Less => "<",
            Token::Greater => ">",
            Token::Plus => "+",
            Token::Minus => "-",
            Token::Not => "!",
            Token::Bar => "|",
            Token::At => "@",
            Token::Equals => "=",
            Token::Star => "*",
            Token::Slash => "/",
            Token::Ampersand => "&",
            Token::Caret => "^",
            Token::Tilde => "~",
            Token::Question => "?",
        };
        write!(f, "`{text}`")
    }
}
