//! The names that PTX text defines (PTX ISA, chapters 5 and 11): visible variables, and kernels with their
//! parameters.

use plugin_api::Parameter;

use crate::names::Names;

/// The names that `text` defines.
pub fn names(text: &str) -> Names {
    let mut names = Names::default();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        let mut words = head(line).split_ascii_whitespace();
        if !matches!(words.next(), Some(".visible" | ".weak" | ".common")) {
            continue;
        }
        match words.next() {
            Some(".global") => names.variables.extend(words.next_back().map(str::to_owned)),
            Some(".const") => names.constants.extend(words.next_back().map(str::to_owned)),
            Some(".entry") => {
                names.kernels.extend(words.next_back().map(str::to_owned));
                if let Some((name, parameters)) = entry(line, after) {
                    names.parameters.insert(name.to_owned(), parameters);
                }
            }
            _ => {}
        }
    }
    names
}

/// The part of a declaration before its size, value or end.
fn head(line: &str) -> &str {
    let end = line.find(['[', '=', ';', '(']).unwrap_or(line.len());
    &line[..end]
}

/// A kernel's name and parameters. Its declaration begins in `line` and continues in `after`.
fn entry<'a>(line: &'a str, after: &'a str) -> Option<(&'a str, Vec<Parameter>)> {
    let name = head(line).split_ascii_whitespace().next_back()?;
    let list = match line.split_once('(') {
        Some((_, begun)) if begun.contains(')') => begun,
        Some(_) => after,
        None => after.split_once('(')?.1,
    };
    let (list, _) = list.split_once(')')?;
    let mut end = 0;
    let mut parameters = Vec::new();
    for declaration in list.split(',').filter(|text| text.contains(".param")) {
        let (size, alignment) = layout(declaration)?;
        let offset = u32::next_multiple_of(end, alignment.max(1));
        end = offset.checked_add(size)?;
        parameters.push(Parameter { offset, size });
    }
    Some((name, parameters))
}

/// Size and alignment of a parameter: `.param .align 8 .b8 name[16]`, `.param .u64 .ptr .global .align 1 name`.
fn layout(declaration: &str) -> Option<(u32, u32)> {
    let (head, count) = match declaration.split_once('[') {
        Some((head, count)) => (head, count.split(']').next()?.trim().parse().ok()?),
        None => (declaration, 1u32),
    };
    let mut words = head.split_ascii_whitespace();
    let (mut size, mut alignment) = (None, None);
    let mut is_pointer = false;
    while let Some(word) = words.next() {
        match word {
            // The next words describe the memory that the pointer points to.
            ".ptr" => is_pointer = true,
            ".align" => {
                let value: u32 = words.next()?.parse().ok()?;
                if !is_pointer {
                    alignment = Some(value);
                }
            }
            word => size = size.or_else(|| size_of_type(word)),
        }
    }
    let size = size?;
    Some((size.checked_mul(count)?, alignment.unwrap_or(size)))
}

/// The size of a fundamental type, bytes.
fn size_of_type(word: &str) -> Option<u32> {
    match word
        .strip_prefix(['.'])?
        .trim_start_matches(['b', 'u', 's', 'f'])
    {
        "8" => Some(1),
        "16" => Some(2),
        "32" => Some(4),
        "64" => Some(8),
        "128" => Some(16),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
.version 7.0
.extern .global .align 4 .b8 elsewhere[4];
.visible .global .align 8 .b8 table[48] = {0, 1, 2};
.visible .global .align 4 .u32 counter = 5;
.weak .global .align 8 .u64 __init_array_start;
.global .align 1 .b8 own[94];
.visible .const .align 8 .u64 __init_array_object_f_65535 = f;
.visible .shared .align 4 .b8 storage[128];
.weak .entry nvptx$device$init()
.maxntid 1
{ }
.visible .entry kernel(
	.param .u64 .ptr .align 1 kernel_param_0,
	.param .u32 kernel_param_1,
	.param .align 16 .b8 kernel_param_2[24],
	.param .f64 kernel_param_3
)
{
	.visible .global looks_like_one;
}
";

    #[test]
    fn variables_and_kernels() {
        let names = names(TEXT);
        assert_eq!(
            names.variables[..3],
            ["table", "counter", "__init_array_start"]
        );
        assert_eq!(names.constants, ["__init_array_object_f_65535"]);
        assert!(names.parameters["nvptx$device$init"].is_empty());
        let parameter = |offset, size| Parameter { offset, size };
        assert_eq!(
            names.parameters["kernel"],
            [
                parameter(0, 8),
                parameter(8, 4),
                parameter(16, 24),
                parameter(40, 8)
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn nothing_crashes(
            text in "([.](visible|entry|param|global|align|b8|u64)|[ \\n\\[\\](),=;]|[a-z0-9]{1,3}){0,60}",
        ) {
            let _names = names(&text);
        }
    }
}
