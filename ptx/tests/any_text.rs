//! Whatever the text is, there is LLVM assembly or an error with a place in the text.

use proptest::prelude::*;

const SEED: &str = include_str!("../../tests/ptx/conventions.ptx");

/// Pieces of PTX.
const WORDS: [&str; 40] = [
    ".version",
    "7.8",
    ".target",
    "sm_80",
    ".address_size",
    "64",
    ".entry",
    ".func",
    ".visible",
    ".global",
    ".shared",
    ".param",
    ".reg",
    ".b32",
    ".u64",
    ".pred",
    "k",
    "%r",
    "<4>",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ";",
    ":",
    "add",
    ".s32",
    "bra",
    "call",
    "@",
    "!",
    "|",
    "+4",
    "0f3F800000",
    "\n",
    "=",
    ".callprototype",
];

fn check(text: &str) {
    // A text with itself: every name is there twice.
    if let Ok(linked) = ptx::link(&[text, text]) {
        let _ = ptx::translate(&linked);
    }
    if let Err(error) = ptx::translate(text) {
        let line = text.split('\n').nth(error.position.line as usize - 1);
        let line = line.unwrap_or_else(|| panic!("{error}: there is no such line"));
        assert!(
            error.position.column as usize <= line.chars().count() + 1,
            "{error}"
        );
    }
}

#[test]
fn the_seed_is_translated() {
    let text = ptx::translate(SEED).unwrap();
    for part in [
        "define ptx_kernel void @\"conventions\"(i64 %p0, ptr byval([24 x i8]) align 8 %p1, i16 %p2)",
        "!DILocation(line: 10",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn pieces(words in prop::collection::vec(0..WORDS.len(), 0..80)) {
        let text: Vec<_> = words.into_iter().map(|index| WORDS[index]).collect();
        check(&text.join(" "));
        check(&format!(".version 7.8\n.target sm_80\n.address_size 64\n.entry k() {{ {} }}", text.join(" ")));
    }

    #[test]
    fn changed_seeds(at in 0..SEED.len(), length in 0usize..60, insert in 0..WORDS.len()) {
        let end = (at + length).min(SEED.len());
        let Some((before, after)) = SEED.get(..at).zip(SEED.get(end..)) else {
            return Ok(());
        };
        check(&format!("{before}{}{after}", WORDS[insert]));
        check(before);
    }

    #[test]
    fn characters(text in any::<String>()) {
        check(&text);
        check(&format!("{SEED}{text}"));
    }
}
