//! Floating-point instructions (PTX ISA, "Floating Point Arithmetic").
//!
//! `.approx` forms are at least as exact as the GPU's. Denormals are kept where `.ftz` allows the
//! GPU to flush them. Rounding modes other than to-nearest run in functions of their own that switch
//! the CPU's mode, so they are exact, and slow.

use super::{Body, Request};

/// Lowers floating-point intrinsics.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    let ty = request.result.as_str();
    let (suffix, kind) = (suffix(ty)?, name.split('.').next()?);
    let form = Form::of(name);
    match kind {
        "fmin" | "fmax" => extremum(kind == "fmin", ty, &suffix, &form),
        "add" | "mul" | "div" | "fma" | "sqrt" | "rcp" => arithmetic(kind, ty, &suffix, &form),
        "rsqrt" => Body::plain(format!(
            "  %root = call {ty} @llvm.sqrt.{suffix}({ty} %a0)\n  %r = fdiv {ty} {}, %root\n  ret {ty} %r",
            splat(ty, "1.0")
        )),
        "sin" | "cos" | "floor" | "ceil" | "trunc" | "fabs" | "tanh" => unary(kind, ty, &suffix),
        // `cvt.rni`: to nearest, ties to even.
        "round" => unary("roundeven", ty, &suffix),
        "ex2" => unary("exp2", ty, &suffix),
        "lg2" => unary("log2", ty, &suffix),
        "neg" => Body::plain(format!("  %r = fneg {ty} %a0\n  ret {ty} %r")),
        "saturate" => Body::plain(format!(
            "{}  ret {ty} %clamped",
            saturated(ty, &suffix, "%a0")
        )),
        _ => None,
    }
}

/// The modifiers in an intrinsic's name.
struct Form {
    /// `rz`, `rm`, `rp`; none for to-nearest and approximate.
    directed: Option<u32>,
    /// Clamp to [0, 1], NaN to 0.
    saturate: bool,
    /// Clamp to [0, ∞).
    relu: bool,
    /// NaN wins.
    nan: bool,
    /// Minimum of magnitudes with the exclusive or of the signs.
    xor_sign: bool,
}

impl Form {
    fn of(name: &str) -> Form {
        let has = |part: &str| name.split('.').any(|each| each == part);
        Form {
            directed: rounding(name),
            saturate: has("sat"),
            relu: has("relu"),
            nan: has("nan"),
            xor_sign: has("xorsign"),
        }
    }
}

/// `llvm.set.rounding`'s number of the directed rounding mode a name asks for.
pub fn rounding(name: &str) -> Option<u32> {
    name.split('.').find_map(|part| match part {
        "rz" => Some(0),
        "rp" => Some(2),
        "rm" => Some(3),
        _ => None,
    })
}

/// The type as intrinsic names spell it.
pub fn suffix(ty: &str) -> Option<String> {
    Some(match ty {
        "float" => "f32".to_owned(),
        "double" => "f64".to_owned(),
        "half" => "f16".to_owned(),
        "bfloat" => "bf16".to_owned(),
        "<2 x half>" => "v2f16".to_owned(),
        "<2 x bfloat>" => "v2bf16".to_owned(),
        _ => return None,
    })
}

/// A constant of a scalar or vector type.
fn splat(ty: &str, value: &str) -> String {
    let value = match ty {
        "bfloat" | "<2 x bfloat>" if value == "1.0" => "0xR3F80",
        "bfloat" | "<2 x bfloat>" => "0xR0000",
        _ => value,
    };
    if ty.starts_with('<') {
        format!("splat ({} {value})", &ty[5..ty.len() - 1])
    } else {
        value.to_owned()
    }
}

fn unary(intrinsic: &str, ty: &str, suffix: &str) -> Option<Body> {
    Body::plain(format!(
        "  %r = call {ty} @llvm.{intrinsic}.{suffix}({ty} %a0)\n  ret {ty} %r"
    ))
}

fn extremum(minimum: bool, ty: &str, suffix: &str, form: &Form) -> Option<Body> {
    let intrinsic = match (minimum, form.nan) {
        (true, false) => "minimumnum",
        (true, true) => "minimum",
        (false, false) => "maximumnum",
        (false, true) => "maximum",
    };
    if !form.xor_sign {
        return Body::plain(format!(
            "  %r = call {ty} @llvm.{intrinsic}.{suffix}({ty} %a0, {ty} %a1)\n  ret {ty} %r"
        ));
    }
    Body::plain(format!(
        "  %x = call {ty} @llvm.fabs.{suffix}({ty} %a0)\n  %y = call {ty} @llvm.fabs.{suffix}({ty} %a1)\n  \
         %m = call {ty} @llvm.{intrinsic}.{suffix}({ty} %x, {ty} %y)\n  \
         %sx = call {ty} @llvm.copysign.{suffix}({ty} {one}, {ty} %a0)\n  \
         %sy = call {ty} @llvm.copysign.{suffix}({ty} {one}, {ty} %a1)\n  \
         %sign = fmul {ty} %sx, %sy\n  %r = call {ty} @llvm.copysign.{suffix}({ty} %m, {ty} %sign)\n  ret {ty} %r",
        one = splat(ty, "1.0")
    ))
}

/// `%clamped`: `value` clamped to [0, 1]; NaN becomes 0 because `maxnum` prefers the number.
fn saturated(ty: &str, suffix: &str, value: &str) -> String {
    format!(
        "  %positive = call {ty} @llvm.maximumnum.{suffix}({ty} {value}, {ty} {zero})\n  \
         %clamped = call {ty} @llvm.minimumnum.{suffix}({ty} %positive, {ty} {one})\n",
        zero = splat(ty, "0.0"),
        one = splat(ty, "1.0")
    )
}

fn arithmetic(kind: &str, ty: &str, suffix: &str, form: &Form) -> Option<Body> {
    let compute = match form.directed {
        Some(mode) => directed(kind, ty, suffix, mode),
        None => nearest(kind, ty, suffix),
    };
    let end = if form.saturate {
        format!("{}  ret {ty} %clamped", saturated(ty, suffix, "%r"))
    } else if form.relu {
        // NaN stays NaN (PTX: `.relu` clamps negative results to 0, NaN to canonical NaN).
        format!(
            "  %relu = call {ty} @llvm.maximum.{suffix}({ty} %r, {ty} {})\n  ret {ty} %relu",
            splat(ty, "0.0")
        )
    } else {
        format!("  ret {ty} %r")
    };
    if form.directed.is_some() {
        Body::strict(compute + &end)
    } else {
        Body::plain(compute + &end)
    }
}

fn nearest(kind: &str, ty: &str, suffix: &str) -> String {
    match kind {
        "fma" => format!("  %r = call {ty} @llvm.fma.{suffix}({ty} %a0, {ty} %a1, {ty} %a2)\n"),
        "sqrt" => format!("  %r = call {ty} @llvm.sqrt.{suffix}({ty} %a0)\n"),
        "rcp" => format!("  %r = fdiv {ty} {}, %a0\n", splat(ty, "1.0")),
        _ => format!("  %r = f{kind} {ty} %a0, %a1\n"),
    }
}

/// Constrained arithmetic between two changes of the rounding mode.
fn directed(kind: &str, ty: &str, suffix: &str, mode: u32) -> String {
    let (operation, arguments) = match kind {
        "fma" => ("fma", format!("{ty} %a0, {ty} %a1, {ty} %a2")),
        "sqrt" => ("sqrt", format!("{ty} %a0")),
        "rcp" => ("fdiv", format!("{ty} {}, {ty} %a0", splat(ty, "1.0"))),
        "add" => ("fadd", format!("{ty} %a0, {ty} %a1")),
        "mul" => ("fmul", format!("{ty} %a0, {ty} %a1")),
        _ => ("fdiv", format!("{ty} %a0, {ty} %a1")),
    };
    in_rounding_mode(
        mode,
        &format!("call {ty} @llvm.experimental.constrained.{operation}.{suffix}({arguments}, "),
    )
}

/// `%r` = a constrained operation in a rounding mode; `call` lacks its last two arguments.
pub fn in_rounding_mode(mode: u32, call: &str) -> String {
    format!(
        "  call void @llvm.set.rounding(i32 {mode}) strictfp\n  \
         %r = {call}metadata !\"round.dynamic\", metadata !\"fpexcept.ignore\") strictfp\n  \
         call void @llvm.set.rounding(i32 1) strictfp\n"
    )
}
