//! Conversions (PTX ISA, "cvt").

use super::float::{in_rounding_mode, rounding};
use super::{Body, Request};

/// Lowers conversions between number types.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    match name {
        "lohi.i2d" => {
            return Body::plain(
                "  %l = zext i32 %a0 to i64\n  %h0 = zext i32 %a1 to i64\n  %h = shl i64 %h0, 32\n  \
                 %bits = or i64 %l, %h\n  \
                 %r = bitcast i64 %bits to double\n  ret double %r",
            );
        }
        "d2i.lo" => {
            return Body::plain(
                "  %bits = bitcast double %a0 to i64\n  %r = trunc i64 %bits to i32\n  ret i32 %r",
            );
        }
        "d2i.hi" => {
            return Body::plain(
                "  %bits = bitcast double %a0 to i64\n  %high = lshr i64 %bits, 32\n  %r = trunc i64 %high to i32\n  \
                 ret i32 %r",
            );
        }
        "f2h.rn" | "f2h.rn.ftz" => {
            return Body::plain(
                "  %h = fptrunc float %a0 to half\n  %r = bitcast half %h to i16\n  ret i16 %r",
            );
        }
        "bf2h.rn" | "bf2h.rn.ftz" => {
            return Body::plain(
                "  %f = fpext bfloat %a0 to float\n  %h = fptrunc float %f to half\n  %r = bitcast half %h to i16\n  \
                 ret i16 %r",
            );
        }
        "f2bf16.rn" => return Body::plain("  %r = fptrunc float %a0 to bfloat\n  ret bfloat %r"),
        _ => {}
    }
    let (pair, mode) = name.split_once('.')?;
    if !["rn", "rz", "rm", "rp"].contains(&mode.trim_end_matches(".ftz")) {
        return None;
    }
    let (from, to) = pair.split_once('2')?;
    match (number(from)?, number(to)?) {
        (Number::Float(from), Number::Float(to)) if from == "double" && to == "float" => {
            narrow(name)
        }
        (Number::Float(from), Number::Integer(bits, signed)) => {
            to_integer(name, from, bits, signed)
        }
        (Number::Integer(bits, signed), Number::Float(to)) => from_integer(name, bits, signed, to),
        _ => None,
    }
    .filter(|_| request.parameters.len() == 1)
}

enum Number {
    Float(&'static str),
    Integer(u32, bool),
}

fn number(name: &str) -> Option<Number> {
    Some(match name {
        "f" => Number::Float("float"),
        "d" => Number::Float("double"),
        "i" => Number::Integer(32, true),
        "ui" => Number::Integer(32, false),
        "ll" => Number::Integer(64, true),
        "ull" => Number::Integer(64, false),
        _ => return None,
    })
}

fn narrow(name: &str) -> Option<Body> {
    match rounding(name) {
        None => Body::plain("  %r = fptrunc double %a0 to float\n  ret float %r"),
        Some(mode) => Body::strict(
            in_rounding_mode(
                mode,
                "call float @llvm.experimental.constrained.fptrunc.f32.f64(double %a0, ",
            ) + "  ret float %r",
        ),
    }
}

/// What NaN becomes as an integer: 0, or the highest bit alone where a type of 64 bits takes part (PTX ISA, "cvt",
/// notes on NaN).
pub fn of_nan(from_bits: u32, to_bits: u32) -> u64 {
    match from_bits == 64 || to_bits == 64 {
        true => 1 << (to_bits - 1),
        false => 0,
    }
}

/// Rounds, then saturates.
fn to_integer(name: &str, from: &str, bits: u32, signed: bool) -> Option<Body> {
    let round = match rounding(name) {
        None => Some("roundeven"),
        // As conversions do.
        Some(0) => None,
        Some(2) => Some("ceil"),
        Some(_) => Some("floor"),
    };
    let from_bits = if from == "float" { 32 } else { 64 };
    let suffix = format!("f{from_bits}");
    let convert = if signed { "fptosi" } else { "fptoui" };
    let nan = of_nan(from_bits, bits);
    let (whole, rounding) = match round {
        None => ("%a0", String::new()),
        Some(round) => (
            "%whole",
            format!("  %whole = call {from} @llvm.{round}.{suffix}({from} %a0)\n"),
        ),
    };
    Body::plain(format!(
        "{rounding}  %number = call i{bits} @llvm.{convert}.sat.i{bits}.{suffix}({from} {whole})\n  \
         %nan = fcmp uno {from} %a0, 0.0\n  %r = select i1 %nan, i{bits} {nan}, i{bits} %number\n  ret i{bits} %r"
    ))
}

fn from_integer(name: &str, bits: u32, signed: bool, to: &str) -> Option<Body> {
    let convert = if signed { "sitofp" } else { "uitofp" };
    // 32 bits fit a double: no rounding.
    let exact = bits == 32 && to == "double";
    match rounding(name).filter(|_| !exact) {
        None => Body::plain(format!(
            "  %r = {convert} i{bits} %a0 to {to}\n  ret {to} %r"
        )),
        Some(mode) => {
            let suffix = if to == "float" { "f32" } else { "f64" };
            let call = format!(
                "call {to} @llvm.experimental.constrained.{convert}.{suffix}.i{bits}(i{bits} %a0, "
            );
            Body::strict(in_rounding_mode(mode, &call) + &format!("  ret {to} %r"))
        }
    }
}
