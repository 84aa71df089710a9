//! Floating-point instructions. Results are at least as exact as the GPU's; denormals are kept.

use super::{Body, Request, is};

/// Lowers floating-point intrinsics.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    if is(name, "class") {
        return class(request);
    }
    if is(name, "frexp.exp") {
        return exponent(request);
    }
    if is(name, "div.scale") {
        return scale(request);
    }
    let ty = request.result.as_str();
    let suffix = suffix(ty)?;
    let one = if ty == "bfloat" { "0xR3F80" } else { "1.0" };
    let unary = |intrinsic: &str| {
        Body::plain(format!(
            "  %r = call {ty} @llvm.{intrinsic}.{suffix}({ty} %a0)\n  ret {ty} %r"
        ))
    };
    match name {
        _ if is(name, "rcp") || is(name, "rcp.legacy") => {
            Body::plain(format!("  %r = fdiv {ty} {one}, %a0\n  ret {ty} %r"))
        }
        _ if is(name, "rsq") || is(name, "rsq.legacy") => Body::plain(format!(
            "  %root = call {ty} @llvm.sqrt.{suffix}({ty} %a0)\n  %r = fdiv {ty} {one}, %root\n  ret {ty} %r"
        )),
        _ if is(name, "sqrt") => unary("sqrt"),
        _ if is(name, "exp2") => unary("exp2"),
        _ if is(name, "log") => unary("log2"),
        _ if is(name, "sin") => revolutions("sin", ty),
        _ if is(name, "cos") => revolutions("cos", ty),
        _ if is(name, "fract") => fraction(ty, suffix),
        _ if is(name, "frexp.mant") => mantissa(ty, suffix),
        _ if is(name, "fmed3") => median(ty, suffix),
        // Zero times anything is zero.
        _ if is(name, "fmul.legacy") => Body::plain(format!(
            "{}  %r = select i1 %zero, {ty} 0.0, {ty} %product\n  ret {ty} %r",
            legacy_product(ty)
        )),
        _ if is(name, "fma.legacy") => Body::plain(format!(
            "{}  %full = call {ty} @llvm.fma.{suffix}({ty} %a0, {ty} %a1, {ty} %a2)\n  \
             %r = select i1 %zero, {ty} %a2, {ty} %full\n  ret {ty} %r",
            legacy_product(ty)
        )),
        _ if is(name, "fmad.ftz") => Body::plain(format!(
            "  %product = fmul {ty} %a0, %a1\n  %r = fadd {ty} %product, %a2\n  ret {ty} %r"
        )),
        // The steps of a division that is exact in the end: nothing is scaled, and the last step divides.
        _ if is(name, "div.fmas") => Body::plain(format!(
            "  %r = call {ty} @llvm.fma.{suffix}({ty} %a0, {ty} %a1, {ty} %a2)\n  ret {ty} %r"
        )),
        _ if is(name, "div.fixup") => {
            Body::plain(format!("  %r = fdiv {ty} %a2, %a1\n  ret {ty} %r"))
        }
        _ => None,
    }
}

/// A scalar type as intrinsic names spell it.
fn suffix(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "float" => "f32",
        "double" => "f64",
        "half" => "f16",
        "bfloat" => "bf16",
        _ => return None,
    })
}

/// `%product`, and whether a factor is `%zero`.
fn legacy_product(ty: &str) -> String {
    format!(
        "  %product = fmul {ty} %a0, %a1\n  %zero0 = fcmp oeq {ty} %a0, 0.0\n  %zero1 = fcmp oeq {ty} %a1, 0.0\n  \
         %zero = or i1 %zero0, %zero1\n"
    )
}

/// `v_sin`, `v_cos`: of an angle in revolutions.
fn revolutions(function: &str, ty: &str) -> Option<Body> {
    let (extend, narrow) = match ty {
        "float" => (
            "  %x = fpext float %a0 to double\n",
            "  %r = fptrunc double %wide to float\n",
        ),
        "half" => (
            "  %x = fpext half %a0 to double\n",
            "  %r32 = fptrunc double %wide to float\n  %r = fptrunc float %r32 to half\n",
        ),
        _ => return None,
    };
    Body::plain(format!(
        "{extend}  %whole = call double @llvm.floor.f64(double %x)\n  %part = fsub double %x, %whole\n  \
         %angle = fmul double %part, 0x401921FB54442D18\n  \
         %wide = call double @llvm.{function}.f64(double %angle)\n{narrow}  ret {ty} %r"
    ))
}

/// `v_fract`: what exceeds the next lower whole number; always below 1.
fn fraction(ty: &str, suffix: &str) -> Option<Body> {
    let below_one = match ty {
        "half" => "0xH3BFF",
        "float" => "0x3FEFFFFFE0000000",
        "double" => "0x3FEFFFFFFFFFFFFF",
        _ => return None,
    };
    Body::plain(format!(
        "  %whole = call {ty} @llvm.floor.{suffix}({ty} %a0)\n  %part = fsub {ty} %a0, %whole\n  \
         %r = call {ty} @llvm.minimum.{suffix}({ty} %part, {ty} {below_one})\n  ret {ty} %r"
    ))
}

/// Infinities and NaN are their own mantissa, with exponent 0.
fn mantissa(ty: &str, suffix: &str) -> Option<Body> {
    Body::plain(format!(
        "  %parts = call {{ {ty}, i32 }} @llvm.frexp.{suffix}.i32({ty} %a0)\n  \
         %mantissa = extractvalue {{ {ty}, i32 }} %parts, 0\n  \
         %finite = call i1 @llvm.is.fpclass.{suffix}({ty} %a0, i32 504)\n  \
         %r = select i1 %finite, {ty} %mantissa, {ty} %a0\n  ret {ty} %r"
    ))
}

fn exponent(request: &Request<'_>) -> Option<Body> {
    let ty = request.parameters.first()?.as_str();
    let suffix = suffix(ty)?;
    let result = request.result.as_str();
    let narrow = match result {
        "i32" => "",
        "i16" => "  %r = trunc i32 %r32 to i16\n",
        _ => return None,
    };
    let value = if result == "i32" { "%r32" } else { "%r" };
    Body::plain(format!(
        "  %parts = call {{ {ty}, i32 }} @llvm.frexp.{suffix}.i32({ty} %a0)\n  \
         %exponent = extractvalue {{ {ty}, i32 }} %parts, 1\n  \
         %finite = call i1 @llvm.is.fpclass.{suffix}({ty} %a0, i32 504)\n  \
         %r32 = select i1 %finite, i32 %exponent, i32 0\n{narrow}  ret {result} {value}"
    ))
}

/// The value in the middle; of NaNs, as the instruction has it, the smallest of the numbers.
fn median(ty: &str, suffix: &str) -> Option<Body> {
    let call = |name: &str, function: &str, x: &str, y: &str| {
        format!("  %{name} = call {ty} @llvm.{function}num.{suffix}({ty} {x}, {ty} {y})\n")
    };
    Body::plain(
        call("low", "minimum", "%a0", "%a1")
            + &call("high", "maximum", "%a0", "%a1")
            + &call("below", "minimum", "%high", "%a2")
            + &call("middle", "maximum", "%low", "%below")
            + &call("least", "minimum", "%low", "%a2")
            + &format!(
                "  %ordered0 = fcmp uno {ty} %a0, %a1\n  %ordered1 = fcmp uno {ty} %a2, %a2\n  \
                 %nan = or i1 %ordered0, %ordered1\n  %r = select i1 %nan, {ty} %least, {ty} %middle\n  ret {ty} %r"
            ),
    )
}

/// `div.scale` (numerator, denominator, whether the numerator is meant): the operand meant, unscaled.
fn scale(request: &Request<'_>) -> Option<Body> {
    let (result, ty) = (&request.result, request.parameters.first()?);
    Body::plain(format!(
        "  %chosen = select i1 %a2, {ty} %a0, {ty} %a1\n  %half = insertvalue {result} poison, {ty} %chosen, 0\n  \
         %pair = insertvalue {result} %half, i1 false, 1\n  ret {result} %pair"
    ))
}

/// Whether a value is of one of the classes a mask names, which need not be constant.
fn class(request: &Request<'_>) -> Option<Body> {
    let ty = request.parameters.first()?.as_str();
    let suffix = suffix(ty)?;
    let mut text = String::from("  %r0 = add i1 false, false\n");
    for class in 0..10 {
        text += &format!(
            "  %m{class} = and i32 %a1, {bit}\n  %asked{class} = icmp ne i32 %m{class}, 0\n  \
             %is{class} = call i1 @llvm.is.fpclass.{suffix}({ty} %a0, i32 {bit})\n  \
             %both{class} = and i1 %asked{class}, %is{class}\n  %r{} = or i1 %r{class}, %both{class}\n",
            class + 1,
            bit = 1 << class
        );
    }
    Body::plain(text + "  ret i1 %r10")
}
