//! Operations across lanes: votes, reads of other lanes, permutations, reductions (DPP is in `dpp`).

use std::mem::offset_of;

use vgpu_abi::{ReduxOp, ThreadContext, WAVE_REDUX, WaveOp};

use super::engine::CONTEXT;
use super::value::{narrow, widen};
use super::{Body, Request, is};

/// Lowers operations across lanes.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    let (ty, last) = (request.result.as_str(), request.warp_size - 1);
    if let Some(form) = name.strip_prefix("wave.reduce.") {
        return reduce(form, ty);
    }
    match name {
        _ if is(name, "ballot") => ballot(ty, "  %pred = zext i1 %a0 to i64\n"),
        _ if is(name, "icmp") => compare("icmp", &INTEGER_PREDICATES, request),
        _ if is(name, "fcmp") => compare("fcmp", &FLOAT_PREDICATES, request),
        _ if is(name, "inverse.ballot") => inverse_ballot(request),
        _ if is(name, "readfirstlane") => first(ty),
        _ if is(name, "readlane") => {
            let lane = format!("  %lane = and i32 %a1, {last}\n");
            pull(ty, "%a0", "%value.bits", &lane)
        }
        _ if is(name, "writelane") => write_lane(ty, last),
        // Byte addresses, four to a lane; higher bits are ignored.
        "ds.bpermute" | "ds.bpermute.fi.b32" => {
            let lane = format!("  %lane0 = lshr i32 %a0, 2\n  %lane = and i32 %lane0, {last}\n");
            pull(ty, "%a1", "0", &lane)
        }
        "ds.permute" => push(last),
        "ds.swizzle" => pull(ty, "%a0", "0", &(own_lane() + SWIZZLE)),
        "permlane64" | "permlane64.i32" => {
            let lane = own_lane() + "  %lane = xor i32 %own, 32\n";
            pull(ty, "%a0", "%value.bits", &lane)
        }
        _ if is(name, "permlane16") => permute_row(ty, 0),
        _ if is(name, "permlanex16") => permute_row(ty, 16),
        "permlane16.swap" => swap(ty, 16),
        "permlane32.swap" => swap(ty, 32),
        // The value that lanes outside of this code would have; they do not run here.
        _ if is(name, "set.inactive") => Body::plain(format!("  ret {ty} %a0")),
        _ => None,
    }
}

/// `%own`: the thread's lane.
pub fn own_lane() -> String {
    format!(
        "  %lane.cx = call ptr @vgpu.context()\n  %lane.field = getelementptr i8, ptr %lane.cx, i64 {}\n  \
         %own = load i32, ptr %lane.field, align 4, !invariant.load !0, !noundef !0\n",
        offset_of!(ThreadContext, laneid)
    )
}

/// The value `%a0` of lane `%lane`; `fallback` if that takes no part. `lane` are the instructions that give
/// `%lane`.
pub fn pull(ty: &str, value: &str, fallback: &str, lane: &str) -> Option<Body> {
    Body::synchronising(format!(
        "{}{lane}{}{}  ret {ty} %result",
        widen("value", ty, value)?,
        wave(WaveOp::Gather, "%value.bits", "%lane", fallback),
        narrow("result", ty, "%all")?
    ))
}

/// `%all` = an operation of the engine's.
pub fn wave(op: WaveOp, value: &str, lane: &str, fallback: &str) -> String {
    wave_number(op as u32, value, lane, fallback)
}

fn wave_number(op: u32, value: &str, lane: &str, fallback: &str) -> String {
    format!(
        "{CONTEXT}  %all = call i64 @vgpu_wave(ptr %cx, i32 %site, i32 {op}, i64 {value}, i32 {lane}, i64 {fallback})\n"
    )
}

/// The lanes for which `%pred` is not 0.
fn ballot(ty: &str, predicate: &str) -> Option<Body> {
    Body::synchronising(format!(
        "{predicate}{}{}  ret {ty} %result",
        wave(WaveOp::Ballot, "%pred", "0", "0"),
        narrow("result", ty, "%all")?
    ))
}

/// The conditions of `icmp` by their numbers in `llvm::CmpInst::Predicate`.
const INTEGER_PREDICATES: [(u32, &str); 10] = [
    (32, "eq"),
    (33, "ne"),
    (34, "ugt"),
    (35, "uge"),
    (36, "ult"),
    (37, "ule"),
    (38, "sgt"),
    (39, "sge"),
    (40, "slt"),
    (41, "sle"),
];

/// Those of `fcmp`.
const FLOAT_PREDICATES: [(u32, &str); 16] = [
    (0, "false"),
    (1, "oeq"),
    (2, "ogt"),
    (3, "oge"),
    (4, "olt"),
    (5, "ole"),
    (6, "one"),
    (7, "ord"),
    (8, "uno"),
    (9, "ueq"),
    (10, "ugt"),
    (11, "uge"),
    (12, "ult"),
    (13, "ule"),
    (14, "une"),
    (15, "true"),
];

/// The lanes for which a comparison holds; its condition is the third operand, a constant.
fn compare(instruction: &str, predicates: &[(u32, &str)], request: &Request<'_>) -> Option<Body> {
    let ty = request.parameters.first()?;
    let mut text = String::from("  %p0 = add i1 false, false\n");
    for (index, (number, predicate)) in predicates.iter().enumerate() {
        text += &format!(
            "  %is{index} = icmp eq i32 %a2, {number}\n  %c{index} = {instruction} {predicate} {ty} %a0, %a1\n  \
             %p{} = select i1 %is{index}, i1 %c{index}, i1 %p{index}\n",
            index + 1
        );
    }
    text += &format!("  %pred = zext i1 %p{} to i64\n", predicates.len());
    ballot(&request.result, &text)
}

/// Whether the own lane's bit is set.
fn inverse_ballot(request: &Request<'_>) -> Option<Body> {
    let ty = request.parameters.first()?;
    Body::plain(format!(
        "{}{}  %wide = zext i32 %own to i64\n  %bit = lshr i64 %mask.bits, %wide\n  \
         %result = trunc i64 %bit to i1\n  ret i1 %result",
        own_lane(),
        widen("mask", ty, "%a0")?
    ))
}

fn first(ty: &str) -> Option<Body> {
    Body::synchronising(format!(
        "{}{}{}  ret {ty} %result",
        widen("value", ty, "%a0")?,
        wave(WaveOp::First, "%value.bits", "0", "0"),
        narrow("result", ty, "%all")?
    ))
}

fn write_lane(ty: &str, last: u32) -> Option<Body> {
    Body::plain(format!(
        "{}  %lane = and i32 %a1, {last}\n  %mine = icmp eq i32 %lane, %own\n  \
         %result = select i1 %mine, {ty} %a0, {ty} %a2\n  ret {ty} %result",
        own_lane()
    ))
}

/// `ds_permute`: lanes push values to other lanes. A lane that none pushes to gets 0.
fn push(last: u32) -> Option<Body> {
    Body::synchronising(format!(
        "  %value = zext i32 %a1 to i64\n  %lane0 = lshr i32 %a0, 2\n  %lane = and i32 %lane0, {last}\n{}  \
         %result = trunc i64 %all to i32\n  ret i32 %result",
        wave(WaveOp::Scatter, "%value", "%lane", "0")
    ))
}

/// `ds_swizzle`'s pattern, a constant: with bit 15, two bits per lane of a group of four; else masks for the
/// lane's number within 32 (and, or, exclusive or). Its FFT and rotation modes (from 0xc000) trap.
const SWIZZLE: &str = "
  %other.mode = icmp uge i32 %a1, 49152
  br i1 %other.mode, label %unknown, label %known
unknown:
  call void @vgpu_trap(ptr %lane.cx, i32 %site)
  unreachable
known:
  %group = and i32 %own, -4
  %in.group = and i32 %own, 3
  %shift = shl nuw nsw i32 %in.group, 1
  %quad0 = lshr i32 %a1, %shift
  %quad1 = and i32 %quad0, 3
  %quad = or i32 %group, %quad1
  %half = and i32 %own, -32
  %in.half = and i32 %own, 31
  %or0 = lshr i32 %a1, 5
  %or = and i32 %or0, 31
  %xor0 = lshr i32 %a1, 10
  %xor = and i32 %xor0, 31
  %masked0 = and i32 %in.half, %a1
  %masked1 = or i32 %masked0, %or
  %masked2 = xor i32 %masked1, %xor
  %masked = or i32 %half, %masked2
  %quads = icmp uge i32 %a1, 32768
  %lane = select i1 %quads, i32 %quad, i32 %masked
";

/// `permlane16` and `permlanex16` (old, value, selectors of lanes 0-7 and 8-15, fetch inactive, bound control): the
/// lane of the own row, or of the other of a pair of rows, that the own lane's four bits select. Where that takes no
/// part, the result is 0 with bound control, else the old value.
fn permute_row(ty: &str, other_row: u32) -> Option<Body> {
    let lane = own_lane()
        + &widen("old", ty, "%a0")?
        + &format!(
            "  %in.row = and i32 %own, 15\n  %row0 = and i32 %own, -16\n  %row = xor i32 %row0, {other_row}\n  \
             %upper = icmp uge i32 %in.row, 8\n  %selectors = select i1 %upper, i32 %a3, i32 %a2\n  \
             %nibble = and i32 %own, 7\n  %shift = shl nuw nsw i32 %nibble, 2\n  \
             %selected0 = lshr i32 %selectors, %shift\n  \
             %selected = and i32 %selected0, 15\n  %lane = or i32 %row, %selected\n  \
             %fallback = select i1 %a5, i64 0, i64 %old.bits\n"
        );
    pull(ty, "%a1", "%fallback", &lane)
}

/// `permlane16.swap` and `permlane32.swap`: the odd rows of the first value change places with the even rows of the
/// second. The pair travels as one value.
fn swap(ty: &str, row: u32) -> Option<Body> {
    if ty != "{ i32, i32 }" {
        return None;
    }
    Body::synchronising(format!(
        "{}  %lane = xor i32 %own, {row}\n  %in.odd = and i32 %own, {row}\n  %odd = icmp ne i32 %in.odd, 0\n  \
         %x = zext i32 %a0 to i64\n  %y = zext i32 %a1 to i64\n  %x.high = shl nuw i64 %x, 32\n  \
         %y.high = shl nuw i64 %y, 32\n  \
         %value = or i64 %x, %y.high\n  %fallback = or i64 %y, %x.high\n{}  \
         %other.x = trunc i64 %all to i32\n  %high = lshr i64 %all, 32\n  %other.y = trunc i64 %high to i32\n  \
         %r0 = select i1 %odd, i32 %other.y, i32 %a0\n  %r1 = select i1 %odd, i32 %a1, i32 %other.x\n  \
         %half = insertvalue {{ i32, i32 }} poison, i32 %r0, 0\n  \
         %pair = insertvalue {{ i32, i32 }} %half, i32 %r1, 1\n  \
         ret {{ i32, i32 }} %pair",
        own_lane(),
        wave(WaveOp::Gather, "%value", "%lane", "%fallback")
    ))
}

/// `wave.reduce.*` of integers; the second operand only says how.
fn reduce(form: &str, ty: &str) -> Option<Body> {
    if !matches!(ty, "i32" | "i64") {
        return None;
    }
    let (operation, signed) = match form.split('.').next()? {
        "add" | "sub" => (ReduxOp::Add, false),
        "umin" => (ReduxOp::Umin, false),
        "umax" => (ReduxOp::Umax, false),
        "min" => (ReduxOp::Smin, true),
        "max" => (ReduxOp::Smax, true),
        "and" => (ReduxOp::And, false),
        "or" => (ReduxOp::Or, false),
        "xor" => (ReduxOp::Xor, false),
        _ => return None,
    };
    let value = match (ty, signed) {
        ("i64", _) => "  %value = bitcast i64 %a0 to i64\n",
        (_, true) => "  %value = sext i32 %a0 to i64\n",
        (_, false) => "  %value = zext i32 %a0 to i64\n",
    };
    // The sum of what is subtracted from zero.
    let negated = match form.starts_with("sub") {
        true => format!("  %negated = sub {ty} 0, %result\n  ret {ty} %negated"),
        false => format!("  ret {ty} %result"),
    };
    Body::synchronising(format!(
        "{value}{}{}{negated}",
        wave_number(WAVE_REDUX + operation as u32, "%value", "0", "0"),
        narrow("result", ty, "%all")?
    ))
}
