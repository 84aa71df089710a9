//! Whether a program's result is right: what it says itself, and what others' outputs say.

/// Words in a line that gives a time or a rate: it differs from run to run.
const TIMES: &[&str] = &[
    "time",
    "second",
    "elapsed",
    "took",
    "(s)",
    "(ms)",
    "(us)",
    " ms",
    " us",
    " ns",
    "[ms]",
    "[us]",
    "[s]",
    " sec",
    "b/s",
    "flop",
    "throughput",
    "bandwidth",
    "performance",
    "rate",
    "/s",
    "speed",
    "cycles",
];

/// Words in a line with which a program says that its result is wrong.
const FAILURES: &[&str] = &[
    "fail",
    "mismatch",
    "incorrect",
    "wrong",
    "not match",
    "not correct",
];

/// The first line in which the program says that its result is wrong.
pub fn complaint<'a>(output: &'a str, ignore: &[String]) -> Option<&'a str> {
    let lines = output.lines().filter(|line| !ignored(line, ignore));
    lines.into_iter().find(|line| {
        let line = line.to_lowercase();
        FAILURES.iter().any(|word| {
            let rest = line.split_once(word).map(|(_, rest)| rest);
            rest.is_some_and(|rest| !counts_none(rest))
        })
    })
}

/// Whether what follows a word of failure is that there were none, as in `mismatches: 0`.
fn counts_none(rest: &str) -> bool {
    let value =
        rest.trim_start_matches(|char: char| char.is_alphabetic() || " :=()".contains(char));
    let number = value.split_whitespace().next().unwrap_or_default();
    number.parse::<f64>() == Ok(0.0)
}

/// Where two outputs first differ, times aside: the lines of both.
pub fn difference(one: &str, other: &str, ignore: &[String], tolerance: f64) -> Option<String> {
    let lines = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter(|line| !ignored(line, ignore) && !timed(line));
        lines.map(str::to_owned).collect()
    };
    let (one, other) = (lines(one), lines(other));
    let differ = one
        .iter()
        .zip(&other)
        .find(|(one, other)| !alike(one, other, tolerance));
    match differ {
        Some((one, other)) => Some(format!("`{}` and `{}`", one.trim(), other.trim())),
        None if one.len() != other.len() => {
            Some(format!("{} and {} lines", one.len(), other.len()))
        }
        None => None,
    }
}

fn ignored(line: &str, ignore: &[String]) -> bool {
    ignore.iter().any(|part| line.contains(part.as_str()))
}

fn timed(line: &str) -> bool {
    let line = line.to_lowercase();
    TIMES.iter().any(|word| line.contains(word))
}

/// Whether two lines have the same words, and numbers that are close to each other.
fn alike(one: &str, other: &str, tolerance: f64) -> bool {
    let words = |line: &str| -> Vec<String> {
        let parts = line.split(|char: char| char.is_whitespace() || ",;:=()[]".contains(char));
        parts
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    let close = |(one, other): (&String, &String)| match (one.parse::<f64>(), other.parse::<f64>())
    {
        (Ok(one), Ok(other)) => {
            one == other
                || (one.is_nan() && other.is_nan())
                || (one - other).abs() <= tolerance * one.abs().max(other.abs())
        }
        _ => one == other,
    };
    one.len() == other.len() && one.iter().zip(&other).all(close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_says_itself() {
        let none: &[String] = &[];
        assert_eq!(complaint("a\nTest FAILED\n", none), Some("Test FAILED"));
        assert_eq!(
            complaint("PASS\nmismatches: 0\nnumber of failures = 0", none),
            None
        );
        assert_eq!(complaint("mismatches: 3", none), Some("mismatches: 3"));
        assert_eq!(complaint("may fail", &["may".into()]), None);
    }

    #[test]
    fn outputs_without_times() {
        let differ = |one, other| difference(one, other, &["seed".into()], 1e-3);
        assert_eq!(
            differ("sum 1.00001\ntime 3 s", "sum 1.00002\ntime 4 s"),
            None
        );
        assert_eq!(differ("seed 1\nx=1", "seed 2\nx=1"), None);
        assert_eq!(
            differ("x = 1", "x = 2").as_deref(),
            Some("`x = 1` and `x = 2`")
        );
        assert_eq!(differ("x = nan", "x = nan"), None);
        assert_eq!(differ("a", "a\nb").as_deref(), Some("1 and 2 lines"));
    }
}
