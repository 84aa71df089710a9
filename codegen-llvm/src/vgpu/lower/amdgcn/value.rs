//! Values of any type as the 64 bits that operations across lanes carry.

/// Bits of a type as LLVM prints it, if at most 64 and a whole value (no structure).
fn bits(ty: &str) -> Option<u32> {
    if let Some(inner) = ty.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        let (count, element) = inner.split_once(" x ")?;
        let total = count.parse::<u32>().ok()?.checked_mul(bits(element)?)?;
        return (total <= 64 && !element.starts_with("ptr")).then_some(total);
    }
    match ty {
        "half" | "bfloat" => Some(16),
        "float" => Some(32),
        "double" => Some(64),
        _ if ty.starts_with("ptr") => Some(64),
        _ => ty
            .strip_prefix('i')?
            .parse()
            .ok()
            .filter(|bits| *bits <= 64),
    }
}

/// Instructions that give `%{name}.bits`, the value `value` of type `ty` as an `i64`.
pub fn widen(name: &str, ty: &str, value: &str) -> Option<String> {
    let bits = bits(ty)?;
    let integer = match ty {
        _ if ty.starts_with("ptr") => {
            return Some(format!("  %{name}.bits = ptrtoint {ty} {value} to i64\n"));
        }
        _ => format!("  %{name}.int = bitcast {ty} {value} to i{bits}\n"),
    };
    let wide = match bits {
        64 => format!("  %{name}.bits = bitcast i64 %{name}.int to i64\n"),
        _ => format!("  %{name}.bits = zext i{bits} %{name}.int to i64\n"),
    };
    Some(integer + &wide)
}

/// Instructions that give `%{name}`, the `i64` `value` as type `ty`.
pub fn narrow(name: &str, ty: &str, value: &str) -> Option<String> {
    let bits = bits(ty)?;
    if ty.starts_with("ptr") {
        return Some(format!("  %{name} = inttoptr i64 {value} to {ty}\n"));
    }
    let low = match bits {
        64 => format!("  %{name}.low = bitcast i64 {value} to i64\n"),
        _ => format!("  %{name}.low = trunc i64 {value} to i{bits}\n"),
    };
    Some(low + &format!("  %{name} = bitcast i{bits} %{name}.low to {ty}\n"))
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn widths() {
        for (ty, width) in [
            ("i1", Some(1)),
            ("i32", Some(32)),
            ("double", Some(64)),
            ("<2 x half>", Some(32)),
            ("<4 x i16>", Some(64)),
            ("<4 x i32>", None),
            ("ptr addrspace(3)", Some(64)),
            ("i128", None),
            ("{ i32, i32 }", None),
        ] {
            assert_eq!(bits(ty), width, "{ty}");
        }
    }
}
