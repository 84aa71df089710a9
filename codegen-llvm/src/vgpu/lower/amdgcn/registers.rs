//! Ids and sizes of a thread and its launch ("Initial Kernel Execution State", "hidden kernel arguments"), counters,
//! and hardware registers.

use std::mem::offset_of;

use vgpu_abi::{DISPATCH_PACKET_SIZE, DispatchRecord, STEADY_FREQUENCY, ThreadContext};

use super::engine::{CONTEXT, load_field, timer};
use super::{Body, Request, is};

/// Lowers ids, sizes, the launch's pointers, counters, `s_getreg`.
pub fn lower(name: &str, request: &Request<'_>) -> Option<Body> {
    if let Some((offset, range)) = id(name) {
        return Body::plain(load_field(offset, range));
    }
    match name {
        "wavefrontsize" => Body::plain(format!("  ret i32 {}", request.warp_size)),
        "groupstaticsize" => Body::plain(static_size()),
        "lds.kernel.id" => Body::plain(load_field(offset_of!(ThreadContext, kernel_number), None)),
        // One launch runs at a time, so every value identifies it.
        "dispatch.id" => Body::plain("  ret i64 0"),
        "dispatch.ptr" => record_pointer(0),
        "implicitarg.ptr" => record_pointer(DISPATCH_PACKET_SIZE),
        "kernarg.segment.ptr" => kernel_arguments(),
        "s.memtime" => Body::plain(timer("vgpu_clock", false)),
        "s.memrealtime" => Body::plain(steady_counter()),
        "s.getreg" => Body::synchronising(hardware_register()),
        "mbcnt.lo" => Body::plain(masked_count(false)),
        "mbcnt.hi" => Body::plain(masked_count(true)),
        _ if is(name, "s.sendmsg.rtn") => message(&request.result),
        _ => None,
    }
}

/// The context field an id is kept in, and the range of its values (end exclusive).
fn id(name: &str) -> Option<(usize, Option<(u32, u32)>)> {
    if name == "wave.id" {
        return Some((offset_of!(ThreadContext, warpid), None));
    }
    let (vector, dimension) = name.rsplit_once('.')?;
    let dimension = match dimension {
        "x" => 0,
        "y" => 4,
        "z" => 8,
        _ => return None,
    };
    let (offset, range) = match vector {
        "workitem.id" => (offset_of!(ThreadContext, tid), Some((0, 1024))),
        "workgroup.id" => (offset_of!(ThreadContext, ctaid), Some((0, 0x7fff_ffff))),
        _ => return None,
    };
    Some((offset + dimension, range))
}

fn static_size() -> String {
    format!(
        "{CONTEXT}  %sf = getelementptr i8, ptr %cx, i64 {}\n  \
         %size = load i32, ptr %sf, align 4, !invariant.load !0\n  \
         %df = getelementptr i8, ptr %cx, i64 {}\n  %dynamic = load i32, ptr %df, align 4, !invariant.load !0\n  \
         %static = sub i32 %size, %dynamic\n  ret i32 %static",
        offset_of!(ThreadContext, shared_size),
        offset_of!(ThreadContext, dynamic_shared_size)
    )
}

/// `%record`: the launch's record.
fn record() -> String {
    format!(
        "{CONTEXT}  %rf = getelementptr i8, ptr %cx, i64 {}\n  \
         %record = load ptr, ptr %rf, align 8, !invariant.load !0, !nonnull !0, !noundef !0\n",
        offset_of!(ThreadContext, dispatch)
    )
}

fn record_pointer(offset: usize) -> Option<Body> {
    Body::plain(format!(
        "{}  %part = getelementptr inbounds nuw i8, ptr %record, i64 {offset}\n  \
         %pointer = addrspacecast ptr %part to ptr addrspace(4)\n  ret ptr addrspace(4) %pointer",
        record()
    ))
}

fn kernel_arguments() -> Option<Body> {
    Body::plain(format!(
        "{}  %field = getelementptr inbounds nuw i8, ptr %record, i64 {}\n  \
         %arguments = load ptr, ptr %field, align 8, !invariant.load !0\n  \
         %pointer = addrspacecast ptr %arguments to ptr addrspace(4)\n  ret ptr addrspace(4) %pointer",
        record(),
        offset_of!(DispatchRecord, kernarg_address)
    ))
}

/// `s_memrealtime`, which counts at a rate of its own.
pub fn steady_counter() -> String {
    format!("{CONTEXT}{}", ticks())
}

fn ticks() -> String {
    format!(
        "  %ns = call i64 @vgpu_globaltimer(ptr %cx)\n  %ticks = udiv i64 %ns, {}\n  ret i64 %ticks",
        1_000_000_000 / STEADY_FREQUENCY
    )
}

/// `s_sendmsg_rtn`: only the message for the time (GET_REALTIME, 131).
fn message(result: &str) -> Option<Body> {
    if result != "i64" {
        return None;
    }
    Body::synchronising(format!(
        "{CONTEXT}  %time = icmp eq i32 %a0, 131\n  br i1 %time, label %realtime, label %unknown\n\
         realtime:\n{}\nunknown:\n  call void @vgpu_trap(ptr %cx, i32 %site)\n  unreachable",
        ticks()
    ))
}

/// `s_getreg`: register in bits 0-5 of the operand, first bit in 6-10, number of bits less one in 11-15. What
/// programs read is where they run: HW_ID (4; compute unit in bits 8-11, array in 12, engine from 13) and
/// HW_ID1 (23; work-group processor in bits 10-13, array in 16, engine from 18); both name the multiprocessor
/// here. XCC_ID (20) is 0. Any other register traps.
fn hardware_register() -> String {
    let smid = offset_of!(ThreadContext, smid);
    format!("{CONTEXT}  %field = getelementptr i8, ptr %cx, i64 {smid}\n{HARDWARE_REGISTER}")
}

const HARDWARE_REGISTER: &str =
    "  %sm = load i32, ptr %field, align 4, !invariant.load !0, !noundef !0
  %number = and i32 %a0, 63
  %first0 = lshr i32 %a0, 6
  %first = and i32 %first0, 31
  %width0 = lshr i32 %a0, 11
  %width1 = and i32 %width0, 31
  %unused = sub nuw nsw i32 31, %width1
  %mask = lshr i32 -1, %unused
  %unit = and i32 %sm, 15
  %array0 = lshr i32 %sm, 4
  %array = and i32 %array0, 1
  %engine = lshr i32 %sm, 5
  switch i32 %number, label %unknown [
    i32 4, label %id
    i32 20, label %die
    i32 23, label %id1
  ]
id:
  %unit.at = shl i32 %unit, 8
  %array.at = shl i32 %array, 12
  %engine.at = shl i32 %engine, 13
  br label %join
id1:
  %unit1.at = shl i32 %unit, 10
  %array1.at = shl i32 %array, 16
  %engine1.at = shl i32 %engine, 18
  br label %join
join:
  %u = phi i32 [ %unit.at, %id ], [ %unit1.at, %id1 ]
  %a = phi i32 [ %array.at, %id ], [ %array1.at, %id1 ]
  %e = phi i32 [ %engine.at, %id ], [ %engine1.at, %id1 ]
  %ua = or i32 %u, %a
  %all = or i32 %ua, %e
  %shifted = lshr i32 %all, %first
  %value = and i32 %shifted, %mask
  ret i32 %value
die:
  ret i32 0
unknown:
  call void @vgpu_trap(ptr %cx, i32 %site)
  unreachable";

/// The set bits of a mask's half below the own lane's, plus the second operand.
fn masked_count(high: bool) -> String {
    // The lower half lies below all lanes of the upper one; the upper half above all of the lower.
    let (relative, all_or_none) = match high {
        true => ("sub i32 %lane, 32", "0"),
        false => ("add i32 %lane, 0", "-1"),
    };
    let inside = if high { "uge" } else { "ult" };
    format!(
        "{CONTEXT}  %field = getelementptr i8, ptr %cx, i64 {}\n  \
         %lane = load i32, ptr %field, align 4, !invariant.load !0, !noundef !0\n  \
         %inside = icmp {inside} i32 %lane, 32\n  %relative = {relative}\n  %bit0 = and i32 %relative, 31\n  \
         %bit = shl nuw i32 1, %bit0\n  %own = sub i32 %bit, 1\n  \
         %below = select i1 %inside, i32 %own, i32 {all_or_none}\n  \
         %set = and i32 %a0, %below\n  %count = call i32 @llvm.ctpop.i32(i32 %set)\n  \
         %sum = add i32 %count, %a1\n  ret i32 %sum",
        offset_of!(ThreadContext, laneid)
    )
}
