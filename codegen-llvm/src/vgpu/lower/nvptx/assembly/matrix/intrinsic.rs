//! LLVM's intrinsics for matrices, as the instructions that they stand for. So CUDA C++ (`mma.h`, clang's builtins) has
//! what PTX has.

use super::super::syntax::Instruction;
use super::format::Format;
use super::multiply::Product;

/// The instruction and the constraints of its operands, for an intrinsic with so many results and arguments.
pub fn as_assembly(name: &str, results: usize, arguments: usize) -> Option<(String, String)> {
    let name = name.strip_prefix("llvm.nvvm.")?;
    let (name, space) = match name.rsplit_once(".p") {
        Some((name, "1")) => (name, ".global"),
        Some((name, "3")) => (name, ".shared"),
        Some((name, "0")) => (name, ""),
        _ => (name, ""),
    };
    let parts: Vec<_> = name.split('.').collect();
    let list = |from: usize, count: usize| {
        let names: Vec<_> = (from..from + count)
            .map(|index| format!("${index}"))
            .collect();
        format!("{{{}}}", names.join(", "))
    };
    let text = match parts.as_slice() {
        ["wmma", shape, "load", matrix, layout, words @ ..] => {
            let stride = match arguments {
                1 => String::new(),
                _ => format!(", ${}", results + 1),
            };
            let ty = words.last()?;
            format!(
                "wmma.load.{matrix}.sync.aligned.{layout}.{shape}{space}.{ty} {}, [${results}]{stride};",
                list(0, results)
            )
        }
        ["wmma", shape, "store", "d", layout, words @ ..] => {
            let strides = usize::from(words.contains(&"stride"));
            let stride = match strides {
                0 => String::new(),
                _ => format!(", ${}", arguments - 1),
            };
            let ty = words.last()?;
            let values = list(1, arguments.checked_sub(1 + strides)?);
            format!(
                "wmma.store.d.sync.aligned.{layout}.{shape}{space}.{ty} [$0], {values}{stride};"
            )
        }
        ["wmma", shape, "mma", words @ ..] => {
            product(format!("wmma.mma.sync.aligned.{shape}"), words, results)?
        }
        [
            "mma",
            operation @ ("xor" | "and"),
            "popc",
            shape,
            words @ ..,
        ] => {
            let head = format!("mma.sync.aligned.{shape}");
            product(head, &[words, &[operation, "popc"]].concat(), results)?
        }
        ["mma", shape, words @ ..] if shape.starts_with('m') => {
            product(format!("mma.sync.aligned.{shape}"), words, results)?
        }
        ["ldmatrix", words @ .., "b16"] => {
            let words = words.join(".");
            format!(
                "ldmatrix.{words}{space}.b16 {}, [${results}];",
                list(0, results)
            )
        }
        ["stmatrix", words @ .., "b16"] => {
            let (words, values) = (words.join("."), list(1, arguments.checked_sub(1)?));
            format!("stmatrix.{words}{space}.b16 [$0], {values};")
        }
        _ => return None,
    };
    let constraints = [vec!["=r"; results], vec!["r"; arguments]].concat();
    Some((text, constraints.join(",")))
}

/// A multiplication, whose name leaves out the types that follow from others.
fn product(head: String, words: &[&str], results: usize) -> Option<String> {
    let (types, modifiers): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| Format::of(word).is_some());
    let types = match types.as_slice() {
        ["f64"] => vec!["f64"; 4],
        [one @ ("bf16" | "tf32")] => vec!["f32", one, one, "f32"],
        [one] => vec!["s32", one, one, "s32"],
        [d @ ("f16" | "f32"), c] => vec![d, "f16", "f16", c],
        [a, b] => vec!["s32", a, b, "s32"],
        all => all.to_vec(),
    };
    let opcode = format!("{head}.{}.{}", modifiers.join("."), types.join("."));
    let instruction = Instruction {
        guard: None,
        opcode: opcode.split('.').map(str::to_owned).collect(),
        operands: Vec::new(),
    };
    let mut lists = Vec::new();
    let mut first = 0;
    for count in [
        vec![results],
        Product::of(&instruction)?.operand_counts(opcode.starts_with('w'))?,
    ]
    .concat()
    {
        let names: Vec<_> = (first..first + count)
            .map(|index| format!("${index}"))
            .collect();
        lists.push(format!("{{{}}}", names.join(", ")));
        first += count;
    }
    Some(format!("{opcode} {};", lists.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intrinsics_are_instructions() {
        let text = |name: &str, results, arguments| {
            as_assembly(&format!("llvm.nvvm.{name}"), results, arguments).map(|(text, _)| text)
        };
        assert_eq!(
            text("mma.m16n8k8.row.col.tf32", 4, 10).unwrap(),
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, \
             {$10, $11, $12, $13};"
        );
        assert_eq!(
            text("mma.and.popc.m8n8k128.row.col.b1", 2, 4).unwrap(),
            "mma.sync.aligned.m8n8k128.row.col.and.popc.s32.b1.b1.s32 {$0, $1}, {$2}, {$3}, {$4, $5};"
        );
        assert_eq!(
            text("wmma.m8n8k32.load.a.row.stride.s4.p3", 1, 2).unwrap(),
            "wmma.load.a.sync.aligned.row.m8n8k32.shared.s4 {$0}, [$1], $2;"
        );
        assert_eq!(
            text("stmatrix.sync.aligned.m8n8.x2.trans.b16.p3", 0, 3).unwrap(),
            "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [$0], {$1, $2};"
        );
        assert_eq!(text("mma.sp.m16n8k16.row.col.bf16", 4, 14), None);
        assert_eq!(
            text("mma.m16n8k32.row.col.kind.f8f6f4.f16.e2m3.e2m1.f16", 2, 8),
            None
        );
    }
}
