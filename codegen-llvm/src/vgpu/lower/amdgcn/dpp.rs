//! Data-parallel primitives: reads of other lanes of a row of 16 ("DPP" in the ISA manuals).

use super::cross_lane::{own_lane, pull};
use super::value::widen;
use super::{Body, Request, is};

/// Lowers `update.dpp`, `mov.dpp`, `mov.dpp8`.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    let ty = request.result.as_str();
    match name {
        _ if is(name, "update.dpp") => {
            let old = widen("old", ty, "%a0")?;
            row_operation(request, "%a1", &old, ["%a2", "%a3", "%a4", "%a5"])
        }
        // Without an old value, which is undefined: 0.
        _ if is(name, "mov.dpp") => {
            let old = "  %old.bits = add i64 0, 0\n";
            row_operation(request, "%a0", old, ["%a1", "%a2", "%a3", "%a4"])
        }
        // Three bits per lane of a group of eight.
        _ if is(name, "mov.dpp8") => {
            let lane = own_lane()
                + "  %in.group = and i32 %own, 7\n  %shift = mul nuw nsw i32 %in.group, 3\n  \
                   %selected0 = lshr i32 %a1, %shift\n  %selected = and i32 %selected0, 7\n  \
                   %group = and i32 %own, -8\n  %lane = or i32 %group, %selected\n";
            pull(ty, "%a0", "0", &lane)
        }
        _ => None,
    }
}

/// Control, row mask, bank mask and bound control are constants. A lane that the masks leave out keeps the old
/// value. One whose source does not exist or takes no part gets 0 with bound control, else keeps the old value.
fn row_operation(
    request: &Request<'_>,
    value: &str,
    old: &str,
    [control, rows, banks, bound]: [&str; 4],
) -> Option<Body> {
    let lane = own_lane()
        + old
        + &format!(
            "  %source = call i32 @vgpu.dpp_lane(i32 %own, i32 {control}, i32 {})\n  \
             %bad = icmp eq i32 %source, -2\n  br i1 %bad, label %unknown, label %known\n\
             unknown:\n  call void @vgpu_trap(ptr %lane.cx, i32 %site)\n  unreachable\n\
             known:\n  %row = lshr i32 %own, 4\n  %row.bit = lshr i32 {rows}, %row\n  %bank0 = lshr i32 %own, 2\n  \
             %bank = and i32 %bank0, 3\n  %bank.bit = lshr i32 {banks}, %bank\n  \
             %both = and i32 %row.bit, %bank.bit\n  \
             %enabled = trunc i32 %both to i1\n  %lane = select i1 %enabled, i32 %source, i32 -1\n  \
             %zero = and i1 %enabled, {bound}\n  %fallback = select i1 %zero, i64 0, i64 %old.bits\n",
            request.warp_size
        );
    pull(&request.result, value, "%fallback", &lane)
}

/// `vgpu.dpp_lane`: the lane that `control` (DPP_CTRL) makes `%lane` read, -1 if there is none, -2 if the
/// control does not exist.
pub const SOURCE_LANE: &str = "
define i32 @vgpu.dpp_lane(i32 %lane, i32 %control, i32 %size) alwaysinline nounwind willreturn memory(none) {
  %row = and i32 %lane, -16
  %at = and i32 %lane, 15
  %n = and i32 %control, 15
  %kind = lshr i32 %control, 4
  switch i32 %kind, label %quads [
    i32 16, label %shl
    i32 17, label %shr
    i32 18, label %ror
    i32 19, label %wave
    i32 20, label %mirrors
    i32 21, label %share
    i32 22, label %xmask
  ]
quads:
  %is.quads = icmp ult i32 %kind, 16
  %group = and i32 %lane, -4
  %in.group = and i32 %lane, 3
  %shift = shl nuw nsw i32 %in.group, 1
  %quad0 = lshr i32 %control, %shift
  %quad1 = and i32 %quad0, 3
  %quad2 = or i32 %group, %quad1
  %quad = select i1 %is.quads, i32 %quad2, i32 -2
  ret i32 %quad
shl:
  %shl.at = add nuw nsw i32 %at, %n
  %shl.in = icmp ult i32 %shl.at, 16
  %shl.lane = or i32 %row, %shl.at
  %shl.result = select i1 %shl.in, i32 %shl.lane, i32 -1
  ret i32 %shl.result
shr:
  %shr.at = sub i32 %at, %n
  %shr.in = icmp sge i32 %shr.at, 0
  %shr.lane = or i32 %row, %shr.at
  %shr.result = select i1 %shr.in, i32 %shr.lane, i32 -1
  ret i32 %shr.result
ror:
  %ror.at0 = sub i32 %at, %n
  %ror.at = and i32 %ror.at0, 15
  %ror.lane = or i32 %row, %ror.at
  ret i32 %ror.lane
wave:
  %last = sub i32 %size, 1
  %next = add i32 %lane, 1
  %previous = sub i32 %lane, 1
  %next.round = and i32 %next, %last
  %previous.round = and i32 %previous, %last
  %is.end = icmp eq i32 %lane, %last
  %next.in = select i1 %is.end, i32 -1, i32 %next
  switch i32 %n, label %bad [
    i32 0, label %wave.shl
    i32 4, label %wave.rol
    i32 8, label %wave.shr
    i32 12, label %wave.ror
  ]
wave.shl:
  ret i32 %next.in
wave.rol:
  ret i32 %next.round
wave.shr:
  ret i32 %previous
wave.ror:
  ret i32 %previous.round
mirrors:
  %mirror = xor i32 %lane, 15
  %half.mirror = xor i32 %lane, 7
  %before.row = sub i32 %row, 1
  %second.half = icmp uge i32 %lane, 32
  %lane.31 = select i1 %second.half, i32 31, i32 -1
  switch i32 %n, label %bad [
    i32 0, label %row.mirror
    i32 1, label %row.half.mirror
    i32 2, label %row.bcast15
    i32 3, label %row.bcast31
  ]
row.mirror:
  ret i32 %mirror
row.half.mirror:
  ret i32 %half.mirror
row.bcast15:
  ret i32 %before.row
row.bcast31:
  ret i32 %lane.31
share:
  %share.lane = or i32 %row, %n
  ret i32 %share.lane
xmask:
  %xmask.lane = xor i32 %lane, %n
  ret i32 %xmask.lane
bad:
  ret i32 -2
}
";
