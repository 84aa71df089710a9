//! Sizes as users write them in settings.

/// Bytes: `4G`, `512M`, `64k`, `1048576`; `None` if `text` is no size.
pub fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        assert_eq!(parse_size(" 3G "), Some(3 << 30));
        assert_eq!(parse_size("64MiB"), Some(64 << 20));
        assert_eq!(parse_size("2097152"), Some(2 << 20));
        for nonsense in [
            "",
            "many",
            "12T",
            "-1",
            "1.5G",
            "99999999999999999999",
            "18446744073709551615k",
        ] {
            assert_eq!(parse_size(nonsense), None, "{nonsense}");
        }
    }
}
