//! Integer instructions: bit fields, 24-bit products, sums of differences, dot products, bytes.

use super::{Body, Request, is};

/// Lowers integer intrinsics.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    let ty = request.result.as_str();
    match name {
        _ if is(name, "ubfe") => bit_field(ty, "lshr"),
        _ if is(name, "sbfe") => bit_field(ty, "ashr"),
        _ if is(name, "mul.u24") => multiply_24("lshr", ty, false),
        _ if is(name, "mul.i24") => multiply_24("ashr", ty, false),
        _ if is(name, "mulhi.u24") => multiply_24("lshr", ty, true),
        _ if is(name, "mulhi.i24") => multiply_24("ashr", ty, true),
        _ if is(name, "sffbh") => first_differing_bit(ty),
        "sad.u8" => Body::plain(differences(8, "")),
        "msad.u8" => Body::plain(differences(8, MASKED)),
        "sad.u16" => Body::plain(differences(16, "")),
        "sad.hi.u8" => Body::plain(
            differences(8, "")
                .replace("%s0 = add i32 %a2, 0", "%s0 = add i32 0, 0")
                .replace(
                    "  ret i32 %s4",
                    "  %upper = shl i32 %s4, 16\n  %sum = add i32 %upper, %a2\n  ret i32 %sum",
                ),
        ),
        "lerp" => Body::plain(averages()),
        "alignbyte" => Body::plain(
            "  %by0 = and i32 %a2, 3\n  %by = shl nuw nsw i32 %by0, 3\n  \
             %r = call i32 @llvm.fshr.i32(i32 %a0, i32 %a1, i32 %by)\n  ret i32 %r",
        ),
        "perm" => Body::plain(permutation()),
        "sdot2" => dot(16, "ashr"),
        "udot2" => dot(16, "lshr"),
        "sdot4" => dot(8, "ashr"),
        "udot4" => dot(8, "lshr"),
        "sdot8" => dot(4, "ashr"),
        "udot8" => dot(4, "lshr"),
        _ => None,
    }
}

/// `width` bits from bit `offset` on, both taken modulo the type's width; no bits give 0.
fn bit_field(ty: &str, shift: &str) -> Option<Body> {
    let bits: u32 = ty.strip_prefix('i')?.parse().ok()?;
    let amount = |name: &str, value: &str| match bits {
        64 => format!("  %{name}0 = and i32 {value}, 63\n  %{name} = zext i32 %{name}0 to i64\n"),
        _ => format!("  %{name} = and i32 {value}, 31\n"),
    };
    // Shifted up so that its last bit is the type's, then down: beyond the type's end there are the sign or zeros.
    Body::plain(format!(
        "{}{}  %field = {shift} {ty} %a0, %offset\n  %none = icmp eq {ty} %width, 0\n  \
         %unused0 = sub {ty} {bits}, %width\n  %unused = and {ty} %unused0, {}\n  %up = shl {ty} %field, %unused\n  \
         %down = {shift} {ty} %up, %unused\n  %r = select i1 %none, {ty} 0, {ty} %down\n  ret {ty} %r",
        amount("offset", "%a1"),
        amount("width", "%a2"),
        bits - 1
    ))
}

/// The product of the lower 24 bits, or its bits from 32 on.
fn multiply_24(shift: &str, ty: &str, high: bool) -> Option<Body> {
    if ty != "i32" && (high || ty != "i64") {
        return None;
    }
    let extend = if shift == "ashr" { "sext" } else { "zext" };
    let end = match (ty, high) {
        ("i64", _) => "  ret i64 %product",
        (_, true) => {
            "  %upper = lshr i64 %product, 32\n  %r = trunc i64 %upper to i32\n  ret i32 %r"
        }
        (_, false) => "  %r = trunc i64 %product to i32\n  ret i32 %r",
    };
    Body::plain(format!(
        "  %x0 = shl i32 %a0, 8\n  %x1 = {shift} i32 %x0, 8\n  %x = {extend} i32 %x1 to i64\n  \
         %y0 = shl i32 %a1, 8\n  %y1 = {shift} i32 %y0, 8\n  %y = {extend} i32 %y1 to i64\n  \
         %product = mul i64 %x, %y\n{end}"
    ))
}

/// The position, from the highest bit, of the first bit that is not like the highest; -1 if all are alike.
fn first_differing_bit(ty: &str) -> Option<Body> {
    if ty != "i32" {
        return None;
    }
    Body::plain(
        "  %sign = ashr i32 %a0, 31\n  %differing = xor i32 %a0, %sign\n  \
         %zeros = call i32 @llvm.ctlz.i32(i32 %differing, i1 false)\n  %alike = icmp eq i32 %differing, 0\n  \
         %r = select i1 %alike, i32 -1, i32 %zeros\n  ret i32 %r",
    )
}

/// `msad`: bytes of the second operand that are 0 do not count.
const MASKED: &str =
    "  %none{i} = icmp eq i32 %y{i}, 0\n  %d{i} = select i1 %none{i}, i32 0, i32 %distance{i}\n";
const UNMASKED: &str = "  %d{i} = add i32 %distance{i}, 0\n";

/// The parts of two words' absolute differences, plus the third operand.
fn differences(bits: u32, masked: &str) -> String {
    let (parts, mask) = (32 / bits, (1u64 << bits) - 1);
    let choice = if masked.is_empty() { UNMASKED } else { masked };
    let mut text = String::from("  %s0 = add i32 %a2, 0\n");
    for i in 0..parts {
        text += &format!(
            "  %xs{i} = lshr i32 %a0, {by}\n  %x{i} = and i32 %xs{i}, {mask}\n  %ys{i} = lshr i32 %a1, {by}\n  \
             %y{i} = and i32 %ys{i}, {mask}\n  %difference{i} = sub nsw i32 %x{i}, %y{i}\n  \
             %distance{i} = call i32 @llvm.abs.i32(i32 %difference{i}, i1 false)\n{}  %s{} = add i32 %s{i}, %d{i}\n",
            choice.replace("{i}", &i.to_string()),
            i + 1,
            by = i * bits
        );
    }
    text + &format!("  ret i32 %s{parts}")
}

/// `lerp`: the averages of two words' bytes, rounded up where the third operand's byte is odd.
fn averages() -> String {
    let mut text = String::from("  %r0 = add i32 0, 0\n");
    for i in 0..4 {
        let (by, next) = (8 * i, i + 1);
        text += &format!(
            "  %xs{i} = lshr i32 %a0, {by}\n  %x{i} = and i32 %xs{i}, 255\n  %ys{i} = lshr i32 %a1, {by}\n  \
             %y{i} = and i32 %ys{i}, 255\n  %zs{i} = lshr i32 %a2, {by}\n  %z{i} = and i32 %zs{i}, 1\n  \
             %t{i} = add i32 %x{i}, %y{i}\n  %u{i} = add i32 %t{i}, %z{i}\n  %v{i} = lshr i32 %u{i}, 1\n  \
             %w{i} = shl i32 %v{i}, {by}\n  %r{next} = or i32 %r{i}, %w{i}\n"
        );
    }
    text + "  ret i32 %r4"
}

/// `v_perm_b32`: each byte of the third operand selects a byte of the second (0-3) or the first (4-7), the sign of
/// the second's bytes 1 and 3 and the first's (8-11), 0 (12), or 255 (above).
fn permutation() -> String {
    let mut text = String::from(
        "  %l = zext i32 %a1 to i64\n  %h0 = zext i32 %a0 to i64\n  %h = shl i64 %h0, 32\n  %bytes = or i64 %l, %h\n  \
         %r0 = add i32 0, 0\n",
    );
    for i in 0..4 {
        let (by, next) = (8 * i, i + 1);
        text += &format!(
            "  %ss{i} = lshr i32 %a2, {by}\n  %s{i} = and i32 %ss{i}, 255\n  %low{i} = and i32 %s{i}, 7\n  \
             %at{i} = shl nuw nsw i32 %low{i}, 3\n  %at64{i} = zext i32 %at{i} to i64\n  \
             %picked{i} = lshr i64 %bytes, %at64{i}\n  \
             %byte{i} = trunc i64 %picked{i} to i8\n  %which{i} = and i32 %s{i}, 3\n  \
             %odd0{i} = shl nuw nsw i32 %which{i}, 4\n  \
             %odd{i} = add nuw nsw i32 %odd0{i}, 8\n  %odd64{i} = zext i32 %odd{i} to i64\n  \
             %signed0{i} = lshr i64 %bytes, %odd64{i}\n  \
             %signed1{i} = trunc i64 %signed0{i} to i8\n  %sign{i} = ashr i8 %signed1{i}, 7\n  \
             %is.byte{i} = icmp ult i32 %s{i}, 8\n  %is.sign{i} = icmp ult i32 %s{i}, 12\n  \
             %is.zero{i} = icmp eq i32 %s{i}, 12\n  \
             %c0{i} = select i1 %is.zero{i}, i8 0, i8 -1\n  %c1{i} = select i1 %is.sign{i}, i8 %sign{i}, i8 %c0{i}\n  \
             %c{i} = select i1 %is.byte{i}, i8 %byte{i}, i8 %c1{i}\n  %z{i} = zext i8 %c{i} to i32\n  \
             %p{i} = shl i32 %z{i}, {by}\n  %r{next} = or i32 %r{i}, %p{i}\n"
        );
    }
    text + "  ret i32 %r4"
}

/// The dot product of two words' parts plus the third operand; with the fourth, a constant, saturated.
fn dot(bits: u32, shift: &str) -> Option<Body> {
    let (parts, signed) = (32 / bits, shift == "ashr");
    let extend = if signed { "sext" } else { "zext" };
    let word = |name: &str, operand: &str| match bits {
        // 16-bit parts come as vectors.
        16 => format!("  %{name} = bitcast <2 x i16> {operand} to i32\n"),
        _ => format!("  %{name} = add i32 {operand}, 0\n"),
    };
    let mut text = word("x", "%a0") + &word("y", "%a1");
    text += &format!("  %s0 = {extend} i32 %a2 to i64\n");
    for i in 0..parts {
        let (up, down) = (32 - bits * (i + 1), 32 - bits);
        for side in ["x", "y"] {
            text += &format!(
                "  %{side}u{i} = shl i32 %{side}, {up}\n  %{side}d{i} = {shift} i32 %{side}u{i}, {down}\n  \
                 %{side}{i} = {extend} i32 %{side}d{i} to i64\n"
            );
        }
        text += &format!(
            "  %product{i} = mul i64 %x{i}, %y{i}\n  %s{} = add i64 %s{i}, %product{i}\n",
            i + 1
        );
    }
    let clamp = match signed {
        true => format!(
            "  %c0 = call i64 @llvm.smin.i64(i64 %s{parts}, i64 2147483647)\n  \
             %clamped = call i64 @llvm.smax.i64(i64 %c0, i64 -2147483648)\n"
        ),
        false => format!("  %clamped = call i64 @llvm.umin.i64(i64 %s{parts}, i64 4294967295)\n"),
    };
    Body::plain(format!(
        "{text}{clamp}  %chosen = select i1 %a3, i64 %clamped, i64 %s{parts}\n  \
         %r = trunc i64 %chosen to i32\n  ret i32 %r"
    ))
}
