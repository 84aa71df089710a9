//! PTX instructions on the virtual GPU against their definitions in the PTX ISA, which Rust computes here.
//!
//! A group of instructions is a kernel. Each thread has its own operands: edge values and random numbers.

mod addresses;
mod at_once;
mod bits;
mod blocks;
mod convert;
mod float;
mod fragment_memory;
mod fragments;
mod integer;
mod matrices;
mod matrix;
mod operands;
mod run;
mod small_floats;
mod sparse;
mod video;

use e2e::cuda::assemble;
use e2e::ir::{Kernels, Shape};
use operands::{Triple, triples};

/// An instruction and what it is to give.
pub struct Case {
    /// Its text. `{d}` is the result, `{a}`, `{b}`, `{c}` are the operands: registers of `result` and `sources` bits;
    /// 1 is a predicate, 16, 32 and 64 are integers.
    text: &'static str,
    /// Bits of the result.
    result: u32,
    /// Bits of the operands.
    sources: [u32; 3],
    /// The definition.
    expected: Box<dyn Fn(u64, u64, u64) -> u64>,
}

/// A case with operands of one size.
pub fn case(
    text: &'static str,
    bits: u32,
    expected: impl Fn(u64, u64, u64) -> u64 + 'static,
) -> Case {
    case_of(text, bits, [bits; 3], expected)
}

/// A case with operands of their own sizes.
pub fn case_of(
    text: &'static str,
    result: u32,
    sources: [u32; 3],
    expected: impl Fn(u64, u64, u64) -> u64 + 'static,
) -> Case {
    Case {
        text,
        result,
        sources,
        expected: Box::new(expected),
    }
}

/// The lower bits of a number.
pub fn low(value: u64, bits: u32) -> u64 {
    if bits == 64 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

/// The number whose lower bits these are, with its sign.
pub fn signed(value: u64, bits: u32) -> i64 {
    (value << (64 - bits)) as i64 >> (64 - bits)
}

const THREADS: usize = 128;

/// What PTX of most instructions is for.
const TARGET: &str = "sm_90";

/// Formats of numbers that newer GPUs have, and what PTX with them is for.
const NEWER: [&str; 4] = ["e3m2", "e2m3", "e2m1", "ue8m0"];
const NEWER_TARGET: &str = "sm_100a";

/// The version of PTX, and the one that has the newer forms.
const VERSION: &str = ".version 8.7";
const NEWER_VERSION: &str = ".version 8.8";

/// Runs a group and compares.
fn check(cases: &[Case], float: bool) {
    check_for(TARGET, cases, float);
}

/// The same for a GPU.
fn check_for(target: &str, cases: &[Case], float: bool) {
    let operands = triples(THREADS, float);
    let text = module(cases).replace(TARGET, target);
    let text = match target == TARGET {
        true => text,
        false => text.replace(VERSION, NEWER_VERSION),
    };
    assemble(&text, target);
    let kernels = Kernels::load_image(text.as_bytes(), 1).unwrap_or_else(|error| panic!("{error}"));
    let flat: Vec<u64> = operands.iter().flatten().copied().collect();
    let input = kernels.buffer(&flat);
    let output = kernels.buffer(&vec![0u64; THREADS * cases.len()]);
    let arguments = [input.argument(), output.argument()];
    kernels
        .launch("group", Shape::spmd(1, THREADS as u32), &arguments)
        .unwrap_or_else(|error| panic!("{error}"));
    let found: Vec<u64> = kernels.read(output);
    let mut wrong = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        for (thread, operands) in operands.iter().enumerate() {
            let [a, b, c] = of_sizes(operands, case.sources);
            let expected = low((case.expected)(a, b, c), case.result);
            let found = found[index * THREADS + thread];
            if !is_same(found, expected, case) {
                wrong.push(format!(
                    "{}: {a:#x} {b:#x} {c:#x} give {found:#x}, not {expected:#x}",
                    case.text
                ));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Any NaN is as good as another: its bits are not defined.
fn is_same(found: u64, expected: u64, case: &Case) -> bool {
    let nan = |bits: u64| match case.result {
        32 => f32::from_bits(bits as u32).is_nan(),
        64 => f64::from_bits(bits).is_nan(),
        _ => false,
    };
    let makes = [".f32 {d}", ".f64 {d}", "cvt.f32.f16 {d}"];
    let float = makes.iter().any(|form| case.text.contains(form));
    found == expected || (float && nan(found) && nan(expected))
}

fn of_sizes(operands: &Triple, sizes: [u32; 3]) -> Triple {
    [0, 1, 2].map(|index| low(operands[index], sizes[index]))
}

/// A kernel with all instructions of a group, one behind another.
fn module(cases: &[Case]) -> String {
    let mut body = String::new();
    for (index, case) in cases.iter().enumerate() {
        for (name, size) in ["a", "b", "c"].into_iter().zip(case.sources) {
            body += &match size {
                1 => format!("  and.b64 %value, %{name}, 1;\n  setp.ne.u64 %p{name}, %value, 0;\n"),
                64 => format!("  mov.b64 %w64{name}, %{name};\n"),
                size => format!("  cvt.u{size}.u64 %w{size}{name}, %{name};\n"),
            };
        }
        let register = |name: &str, size| match size {
            1 => format!("%p{name}"),
            _ => format!("%w{size}{name}"),
        };
        let mut text = case.text.replace("{d}", &register("d", case.result));
        for (name, size) in ["a", "b", "c"].into_iter().zip(case.sources) {
            text = text.replace(&format!("{{{name}}}"), &register(name, size));
        }
        body += &format!("  {text}\n");
        body += &match case.result {
            1 => "  selp.u64 %value, 1, 0, %pd;\n".to_owned(),
            64 => "  mov.b64 %value, %w64d;\n".to_owned(),
            size => format!("  cvt.u64.u{size} %value, %w{size}d;\n"),
        };
        body += &format!("  st.global.u64 [%out+{}], %value;\n", index * THREADS * 8);
    }
    format!("{HEAD}{body}  ret;\n}}\n")
}

const HEAD: &str = "
.version 8.7
.target sm_90
.address_size 64
.visible .entry group(.param .u64 in, .param .u64 out)
{
  .reg .pred %pa, %pb, %pc, %pd, %p<4>;
  .reg .b16 %w16a, %w16b, %w16c, %w16d;
  .reg .b32 %w32a, %w32b, %w32c, %w32d, %t<4>;
  .reg .b64 %w64a, %w64b, %w64c, %w64d, %q<4>;
  .reg .b64 %a, %b, %c, %in, %out, %value;
  mov.u32 %t0, %tid.x;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mad.wide.u32 %in, %t0, 24, %in;
  mad.wide.u32 %out, %t0, 8, %out;
  ld.global.u64 %a, [%in];
  ld.global.u64 %b, [%in+8];
  ld.global.u64 %c, [%in+16];
";

#[test]
fn integers() {
    check(&integer::cases(), false);
}

#[test]
fn logic_and_shifts() {
    check(&bits::cases(), false);
}

#[test]
fn video_instructions() {
    check(&video::cases(), false);
}

#[test]
fn floating_point() {
    check(&float::cases(), true);
    // The driver of an older GPU would refuse these.
    if !e2e::ir::wants_nvidia_gpu() {
        check_for(NEWER_TARGET, &float::newer_cases(), true);
    }
}

#[test]
fn conversions() {
    check(&convert::cases(), false);
    check(&convert::of_floats(), true);
    let is_newer = |case: &Case| NEWER.iter().any(|format| case.text.contains(format));
    let (newer, others): (Vec<_>, Vec<_>) = small_floats::cases().into_iter().partition(is_newer);
    check(&others, true);
    // The driver of an older GPU would refuse these.
    if !e2e::ir::wants_nvidia_gpu() {
        check_for(NEWER_TARGET, &newer, true);
    }
}
