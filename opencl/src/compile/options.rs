//! The options of `clBuildProgram`, `clCompileProgram` and `clLinkProgram` (OpenCL 3.0, 5.8.6 and 5.8.7).

/// What options say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What clang gets.
    pub clang: Vec<String>,
    /// Level of optimisation.
    pub level: u8,
    /// `-create-library`.
    pub library: bool,
    /// `-enable-link-options`.
    pub link_options: bool,
}

/// Options without an argument that clang knows by the same name.
const PLAIN: &[&str] = &[
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-strict-aliasing",
    "-cl-uniform-work-group-size",
    "-cl-kernel-arg-info",
    "-w",
    "-Werror",
];

/// Options on mathematics, which linking knows, too.
const MATHEMATICS: &[&str] = &[
    "-cl-denorms-are-zero",
    "-cl-no-signed-zeros",
    "-cl-mad-enable",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-no-subgroup-ifp",
];

/// The versions that `-cl-std=` takes.
const VERSIONS: &[&str] = &["CL1.0", "CL1.1", "CL1.2", "CL3.0"];

/// Reads options for compiling. `None`: one is not known.
pub fn for_compiling(text: &str) -> Option<Options> {
    let mut options = Options {
        level: 2,
        ..Options::default()
    };
    let mut version = "CL1.2".to_owned();
    let mut words = words(text)?.into_iter();
    while let Some(word) = words.next() {
        if word == "-D" || word == "-I" {
            options.clang.extend([word, words.next()?]);
        } else if PLAIN.contains(&word.as_str())
            || MATHEMATICS.contains(&word.as_str())
            || word.len() > 2 && (word.starts_with("-D") || word.starts_with("-I"))
        {
            // clang has no such option, as it never makes sub-groups go on independently.
            if word != "-cl-no-subgroup-ifp" {
                options.clang.push(word);
            }
        } else if word == "-cl-opt-disable" {
            options.level = 0;
        } else if let Some(named) = word.strip_prefix("-cl-std=") {
            if !VERSIONS.contains(&named) {
                return None;
            }
            version = named.to_owned();
        } else if word != "-g" {
            // Lines are in every program's code.
            return None;
        }
    }
    options.clang.push(format!("-cl-std={version}"));
    Some(options)
}

/// Reads options for linking. `None`: one is not known.
pub fn for_linking(text: &str) -> Option<Options> {
    let mut options = Options {
        level: 2,
        ..Options::default()
    };
    for word in words(text)? {
        match word.as_str() {
            "-create-library" => options.library = true,
            "-enable-link-options" => options.link_options = true,
            "-cl-opt-disable" => options.level = 0,
            word if MATHEMATICS.contains(&word) => {}
            _ => return None,
        }
    }
    // "-enable-link-options … can only be specified with -create-library".
    (options.library || !options.link_options).then_some(options)
}

/// The words of a text. Quotes keep spaces, a backslash keeps the next letter. `None`: a quote does not end.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None::<char>);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', None | Some('"')) => word.get_or_insert_default().push(letters.next()?),
            (letter, Some(open)) if letter == open => quote = None,
            (letter, Some(_)) => word.get_or_insert_default().push(letter),
            ('"' | '\'', None) => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, None) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_quotes() {
        let split = |text| words(text).unwrap();
        assert_eq!(split(" -D A=1\t-I 'a b' "), ["-D", "A=1", "-I", "a b"]);
        assert_eq!(split(r#"-DX="a \"b" c\ d"#), ["-DX=a \"b", "c d"]);
        assert_eq!(words("'open"), None);
    }

    #[test]
    fn what_is_known_and_what_is_not() {
        let options = for_compiling("-DN=4 -cl-std=CL3.0 -cl-opt-disable -g").unwrap();
        assert_eq!(options.clang, ["-DN=4", "-cl-std=CL3.0"]);
        assert_eq!(options.level, 0);
        for wrong in [
            "-fplugin=x",
            "-D",
            "-cl-std=CL9",
            "x.cl",
            "-o x",
            "-cl-fast",
        ] {
            assert_eq!(for_compiling(wrong), None, "{wrong}");
        }
        assert!(
            for_linking("-create-library -enable-link-options")
                .unwrap()
                .library
        );
        for wrong in ["-enable-link-options", "-DX", "-lx"] {
            assert_eq!(for_linking(wrong), None, "{wrong}");
        }
    }
}
