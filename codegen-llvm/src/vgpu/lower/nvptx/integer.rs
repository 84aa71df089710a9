//! Integer instructions (PTX ISA, "Integer Arithmetic", "Logic and Shift", `prmt`, `dp4a`).

use super::{Body, Request};

/// Lowers integer intrinsics.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    if let Some(form) = name.strip_prefix("mulhi.") {
        return multiply_high(form);
    }
    if let Some(form) = name.strip_prefix("sad.") {
        return absolute_difference(form);
    }
    if let Some(mode) = name.strip_prefix("prmt") {
        return permute(mode);
    }
    if let Some(signs) = name.strip_prefix("idp4a.") {
        return dot(signs, 8);
    }
    if let Some(signs) = name.strip_prefix("idp2a.") {
        return dot(signs, 16);
    }
    match name {
        "mul24.i" => Body::plain(multiply_24("ashr")),
        "mul24.ui" => Body::plain(multiply_24("lshr")),
        "fns" => Body::plain(FIND_NTH_SET),
        "sext.wrap" | "sext.clamp" => extend("ashr", name.ends_with("wrap")),
        "zext.wrap" | "zext.clamp" => extend("lshr", name.ends_with("wrap")),
        "bmsk.wrap" | "bmsk.clamp" => bit_mask(name.ends_with("wrap")),
        _ if name.starts_with("fshl.clamp.") => funnel_shift("shl", request),
        _ if name.starts_with("fshr.clamp.") => funnel_shift("lshr", request),
        _ if name.starts_with("flo.s.") => find_leading_one(true, request),
        _ if name.starts_with("flo.u.") => find_leading_one(false, request),
        _ => None,
    }
}

/// Type and signedness of the suffixes `s us i ui ll ull`.
fn integer(suffix: &str) -> Option<(u32, bool)> {
    Some(match suffix {
        "s" => (16, true),
        "us" => (16, false),
        "i" => (32, true),
        "ui" => (32, false),
        "ll" => (64, true),
        "ull" => (64, false),
        _ => return None,
    })
}

/// The upper half of the product.
fn multiply_high(form: &str) -> Option<Body> {
    let (bits, signed) = integer(form)?;
    let (wide, extend) = (2 * bits, if signed { "sext" } else { "zext" });
    Body::plain(format!(
        "  %x = {extend} i{bits} %a0 to i{wide}\n  %y = {extend} i{bits} %a1 to i{wide}\n  \
         %product = mul i{wide} %x, %y\n  \
         %shifted = lshr i{wide} %product, {bits}\n  %high = trunc i{wide} %shifted to i{bits}\n  ret i{bits} %high"
    ))
}

/// The lower half of the product of the lower 24 bits.
fn multiply_24(shift: &str) -> String {
    format!(
        "  %x0 = shl i32 %a0, 8\n  %x = {shift} i32 %x0, 8\n  %y0 = shl i32 %a1, 8\n  %y = {shift} i32 %y0, 8\n  \
         %product = mul i32 %x, %y\n  ret i32 %product"
    )
}

/// `|a - b| + c`
fn absolute_difference(form: &str) -> Option<Body> {
    let (bits, signed) = integer(form)?;
    let less = if signed { "slt" } else { "ult" };
    Body::plain(format!(
        "  %less = icmp {less} i{bits} %a0, %a1\n  %forward = sub i{bits} %a0, %a1\n  \
         %backward = sub i{bits} %a1, %a0\n  \
         %difference = select i1 %less, i{bits} %backward, i{bits} %forward\n  \
         %sum = add i{bits} %difference, %a2\n  ret i{bits} %sum"
    ))
}

/// Byte permutation. The default mode takes four selectors of four bits (bit 3 replicates the byte's
/// sign); the others derive the selectors from the low two bits of the last operand.
fn permute(mode: &str) -> Option<Body> {
    let fixed: [[u64; 4]; 4] = match mode {
        "" => return Body::plain(permute_by_nibbles()),
        ".f4e" => [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]],
        ".b4e" => [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]],
        ".rc8" => [[0; 4], [1; 4], [2; 4], [3; 4]],
        ".ecl" => [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]],
        ".ecr" => [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]],
        ".rc16" => [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]],
        _ => return None,
    };
    let two = matches!(mode, ".f4e" | ".b4e");
    let (high, select) = if two { ("%a1", "%a2") } else { ("%a0", "%a1") };
    let nibbles = |row: &[u64; 4]| {
        row.iter()
            .enumerate()
            .map(|(index, &byte)| byte << (4 * index))
            .sum::<u64>()
    };
    let mut text = format!(
        "  %which = and i32 {select}, 3\n  %s0 = add i32 {}, 0\n",
        nibbles(&fixed[0])
    );
    for (index, row) in fixed.iter().enumerate().skip(1) {
        text += &format!(
            "  %is{index} = icmp eq i32 %which, {index}\n  %s{index} = select i1 %is{index}, i32 {}, i32 %s{}\n",
            nibbles(row),
            index - 1
        );
    }
    Body::plain(text + &permutation("%a0", high, "%s3"))
}

fn permute_by_nibbles() -> String {
    permutation("%a0", "%a1", "%a2")
}

fn permutation(low: &str, high: &str, selectors: &str) -> String {
    let mut text = format!(
        "  %l = zext i32 {low} to i64\n  %h0 = zext i32 {high} to i64\n  %h = shl i64 %h0, 32\n  \
         %bytes = or i64 %l, %h\n  \
         %r0 = add i32 0, 0\n"
    );
    for index in 0..4 {
        let (shift, next) = (4 * index, index + 1);
        text += &format!(
            "  %n{index} = lshr i32 {selectors}, {shift}\n  %b{index} = and i32 %n{index}, 7\n  \
             %by{index} = shl i32 %b{index}, 3\n  \
             %w{index} = zext i32 %by{index} to i64\n  %m{index} = lshr i64 %bytes, %w{index}\n  \
             %v{index} = trunc i64 %m{index} to i8\n  \
             %sign{index} = ashr i8 %v{index}, 7\n  %rep{index} = and i32 %n{index}, 8\n  \
             %plain{index} = icmp eq i32 %rep{index}, 0\n  \
             %c{index} = select i1 %plain{index}, i8 %v{index}, i8 %sign{index}\n  \
             %z{index} = zext i8 %c{index} to i32\n  \
             %p{index} = shl i32 %z{index}, {}\n  %r{next} = or i32 %r{index}, %p{index}\n",
            8 * index
        );
    }
    text + "  ret i32 %r4"
}

/// Dot product of four bytes with four bytes, or two half-words with two bytes (the low or the high
/// ones, by the third operand), plus an accumulator.
fn dot(signs: &str, bits: u32) -> Option<Body> {
    let (first, second) = signs.split_once('.')?;
    let shift_of = |sign: &str| match sign {
        "s" => Some("ashr"),
        "u" => Some("lshr"),
        _ => None,
    };
    let (first, second) = (shift_of(first)?, shift_of(second)?);
    let lanes = 32 / bits;
    let accumulator = if bits == 8 { "%a2" } else { "%a3" };
    let mut text = match bits {
        8 => "  %bytes = add i32 %a1, 0\n".to_owned(),
        _ => "  %upper = lshr i32 %a1, 16\n  %bytes = select i1 %a2, i32 %upper, i32 %a1\n"
            .to_owned(),
    };
    text += &format!("  %t0 = add i32 {accumulator}, 0\n");
    for lane in 0..lanes {
        let (up_a, up_b) = (32 - bits * (lane + 1), 32 - 8 * (lane + 1));
        text += &format!(
            "  %xa{lane} = shl i32 %a0, {up_a}\n  %x{lane} = {first} i32 %xa{lane}, {}\n  \
             %ya{lane} = shl i32 %bytes, {up_b}\n  \
             %y{lane} = {second} i32 %ya{lane}, 24\n  %p{lane} = mul i32 %x{lane}, %y{lane}\n  \
             %t{} = add i32 %t{lane}, %p{lane}\n",
            32 - bits,
            lane + 1
        );
    }
    let text = text + &format!("  ret i32 %t{lanes}");
    match first == second {
        true => Body::plain(text),
        false => Body::without_superwords(text),
    }
}

/// `szext`: the low N bits, extended.
fn extend(shift: &str, wrap: bool) -> Option<Body> {
    let limit = if wrap {
        "  %n = and i32 %a1, 31\n"
    } else {
        "  %n = call i32 @llvm.umin.i32(i32 %a1, i32 32)\n"
    };
    Body::plain(format!(
        "{limit}  %value = zext i32 %a0 to i64\n  %n64 = zext i32 %n to i64\n  %up = sub i64 64, %n64\n  \
         %none = icmp eq i32 %n, 0\n  \
         %amount = and i64 %up, 63\n  %left = shl i64 %value, %amount\n  %right = {shift} i64 %left, %amount\n  \
         %low = trunc i64 %right to i32\n  %result = select i1 %none, i32 0, i32 %low\n  ret i32 %result"
    ))
}

/// `bmsk`: as many ones as the second operand says, from the bit the first says.
fn bit_mask(wrap: bool) -> Option<Body> {
    let limit = |to: &str, from: &str| {
        if wrap {
            format!("  {to} = and i32 {from}, 31\n")
        } else {
            format!("  {to} = call i32 @llvm.umin.i32(i32 {from}, i32 32)\n")
        }
    };
    Body::plain(
        limit("%start", "%a0")
            + &limit("%width", "%a1")
            + "  %s = zext i32 %start to i64\n  %w = zext i32 %width to i64\n  %one = shl i64 1, %w\n  \
            %ones = sub i64 %one, 1\n  \
               %mask = shl i64 %ones, %s\n  %result = trunc i64 %mask to i32\n  ret i32 %result",
    )
}

/// `shf.{l,r}.clamp`: a shift of the double word that stops at the operand's width.
fn funnel_shift(direction: &str, request: &Request<'_>) -> Option<Body> {
    let bits: u32 = request.result.strip_prefix('i')?.parse().ok()?;
    let wide = 2 * bits;
    let result = if direction == "shl" {
        format!("  %top = lshr i{wide} %moved, {bits}\n  %result = trunc i{wide} %top to i{bits}\n")
    } else {
        format!("  %result = trunc i{wide} %moved to i{bits}\n")
    };
    Body::plain(format!(
        "  %h0 = zext i{bits} %a0 to i{wide}\n  %h = shl i{wide} %h0, {bits}\n  %l = zext i{bits} %a1 to i{wide}\n  \
         %both = or i{wide} %h, %l\n  %n = call i{bits} @llvm.umin.i{bits}(i{bits} %a2, i{bits} {bits})\n  \
         %amount = zext i{bits} %n to i{wide}\n  \
         %moved = {direction} i{wide} %both, %amount\n{result}  ret i{bits} %result"
    ))
}

/// `bfind`: position of the highest bit that is not the sign, -1 if none; with the second operand
/// true, the left shift that brings it to the top.
fn find_leading_one(signed: bool, request: &Request<'_>) -> Option<Body> {
    let bits: u32 = request
        .parameters
        .first()?
        .strip_prefix('i')?
        .parse()
        .ok()?;
    let value = if signed {
        format!(
            "  %sign = ashr i{bits} %a0, {}\n  %value = xor i{bits} %a0, %sign\n",
            bits - 1
        )
    } else {
        format!("  %value = add i{bits} %a0, 0\n")
    };
    let narrow = if bits == 64 {
        "trunc i64 %zeros to i32"
    } else {
        "add i32 %zeros, 0"
    };
    Body::plain(format!(
        "{value}  %zeros = call i{bits} @llvm.ctlz.i{bits}(i{bits} %value, i1 false)\n  %shift = {narrow}\n  \
         %position = sub i32 {}, %shift\n  %chosen = select i1 %a1, i32 %shift, i32 %position\n  \
         %none = icmp eq i{bits} %value, 0\n  %result = select i1 %none, i32 -1, i32 %chosen\n  ret i32 %result",
        bits - 1
    ))
}

/// `fns`: the position of the n-th set bit of a mask, counted up (n > 0) or down (n < 0) from a base
/// bit, the base itself for n = 0; -1 if there is none.
const FIND_NTH_SET: &str = "
  %down = icmp slt i32 %a2, 0
  %step = select i1 %down, i32 -1, i32 1
  %size = call i32 @llvm.abs.i32(i32 %a2, i1 false)
  %self = icmp eq i32 %size, 0
  %wanted = select i1 %self, i32 1, i32 %size
  br label %look
look:
  %bit = phi i32 [ %a1, %0 ], [ %following, %next ]
  %left = phi i32 [ %wanted, %0 ], [ %remaining, %next ]
  %inside = icmp ult i32 %bit, 32
  br i1 %inside, label %test, label %none
test:
  %shifted = lshr i32 %a0, %bit
  %set = trunc i32 %shifted to i1
  %taken = zext i1 %set to i32
  %remaining = sub i32 %left, %taken
  %found = icmp eq i32 %remaining, 0
  br i1 %found, label %done, label %next
next:
  %following = add i32 %bit, %step
  br i1 %self, label %none, label %look
done:
  ret i32 %bit
none:
  ret i32 -1";
