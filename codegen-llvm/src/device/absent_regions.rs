//! Warns of target regions that the host launches and clang made no device code for.
//!
//! clang decides which variant of a metadirective, or of a function, is meant by `device={kind(host)}` for the host and
//! for the device apart. A construct `target` that it chooses for the host alone leaves an entry in the host's table
//! and no kernel. Such a region ends with an error when it is reached. The device's table of entries is made of the
//! host's, so it tells.

use crate::ir::{Module, Value, metadata_string};

/// The table of entries (`OMPIRBuilder.cpp`): the kind of a region's node, and what the node has.
const ENTRIES: &str = "omp_offload.info";
const REGION: u64 = 0;

/// One warning for each region without a kernel.
pub fn warnings(module: &Module) -> Vec<String> {
    let nodes = module.named_metadata(ENTRIES);
    let regions = nodes.iter().filter_map(|node| region(node));
    let absent =
        regions.filter(|(kernel, ..)| module.function(kernel).is_none_or(|it| it.is_declaration()));
    absent
        .map(|(_, function, line)| {
            format!(
                "the target region in `{function}`, line {line}, has no device code, and a run that comes to it ends \
                 with an error: clang chose it for the host alone, by `device={{kind(…)}}` of a metadirective or of a \
                 variant; use `target if(…)` instead"
            )
        })
        .collect()
}

/// The kernel, the function and the line of a region's node: kind, device and file of the source, function, line, and
/// a number if there are several in the line.
fn region(node: &[Option<Value>]) -> Option<(String, String, u64)> {
    let operand = |index: usize| node.get(index).copied().flatten();
    let number = |index| operand(index).and_then(Value::as_int);
    if number(0) != Some(REGION) {
        return None;
    }
    let (device, file, line, count) = (number(1)?, number(2)?, number(4)?, number(5)?);
    let function = metadata_string(operand(3)?);
    let count = match count {
        0 => String::new(),
        count => format!("_{count}"),
    };
    let kernel = format!("__omp_offloading_{device:x}_{file:x}_{function}_l{line}{count}");
    Some((kernel, function, line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    #[test]
    fn a_region_without_a_kernel() {
        let text = "define void @__omp_offloading_fe00_a8_f_l6() { ret void }
define void @__omp_offloading_fe00_a8_f_l6_1() { ret void }
!omp_offload.info = !{!0, !1, !2, !3}
!0 = !{i32 0, i32 65024, i32 168, !\"f\", i32 6, i32 0, i32 0}
!1 = !{i32 0, i32 65024, i32 168, !\"f\", i32 6, i32 1, i32 1}
!2 = !{i32 0, i32 65024, i32 168, !\"g\", i32 17, i32 0, i32 2}
!3 = !{i32 1, !\"variable\", i32 0, i32 3}
";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        let warnings = warnings(&module);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("`g`, line 17"), "{warnings:?}");
    }
}
