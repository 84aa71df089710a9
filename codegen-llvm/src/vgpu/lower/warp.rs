//! Operations of a warp: shuffle, vote, match, redux, elect, active mask (PTX ISA, "shfl.sync",
//! "vote.sync", "match.sync", "redux.sync", "elect.sync", "activemask", "bar.warp.sync").

use codegen::vgpu_abi::{ReduxOp, ShuffleMode, VoteMode};

use super::{Body, call_with_site};

const CONTEXT: &str = "  %cx = call ptr @vgpu.context()\n";
/// The forms without a member mask mean the lanes that are together here (PTX ISA before 6.0).
const ACTIVE: &str = "  %mask = call i32 @vgpu_activemask(ptr %cx, i32 %site1)\n";

/// Lowers the warp's operations.
pub fn lower(name: &str) -> Option<Body> {
    match name {
        "bar.warp.sync" => Body::synchronising(call_with_site(
            "call void @vgpu_syncwarp(ptr %cx, i32 %site, i32 %a0)",
            "ret void",
        )),
        "activemask" => Body::synchronising(format!(
            "{CONTEXT}  %mask = call i32 @vgpu_activemask(ptr %cx, i32 %site)\n  ret i32 %mask"
        )),
        "elect.sync" => elect(),
        _ => shuffle(name)
            .or_else(|| vote(name))
            .or_else(|| matches(name))
            .or_else(|| redux(name)),
    }
}

/// `shfl[.sync].{up,down,bfly,idx}.{i32,f32}[p]`
fn shuffle(name: &str) -> Option<Body> {
    let form = name.strip_prefix("shfl.")?;
    let (synchronised, form) = form
        .strip_prefix("sync.")
        .map_or((false, form), |rest| (true, rest));
    let (mode, ty) = form.split_once('.')?;
    let mode = match mode {
        "up" => ShuffleMode::Up,
        "down" => ShuffleMode::Down,
        "bfly" => ShuffleMode::Bfly,
        "idx" => ShuffleMode::Idx,
        _ => return None,
    } as u32;
    let (ty, predicate) = ty.strip_suffix('p').map_or((ty, false), |ty| (ty, true));
    let ty = match ty {
        "i32" => "i32",
        "f32" => "float",
        _ => return None,
    };
    let first = usize::from(synchronised);
    let (value, lane, clamp) = (first, first + 1, first + 2);
    let mut text = CONTEXT.to_owned();
    text += if synchronised {
        "  %mask = bitcast i32 %a0 to i32\n"
    } else {
        ACTIVE
    };
    text += &format!(
        "  %bits = bitcast {ty} %a{value} to i32\n  %both = call i64 @vgpu_shfl(ptr %cx, i32 %site, i32 %mask, i32 {mode}, \
         i32 %bits, i32 %a{lane}, i32 %a{clamp})\n  %low = trunc i64 %both to i32\n  %result = bitcast i32 %low to {ty}\n"
    );
    text += &end_with_predicate(ty, predicate);
    if synchronised {
        Body::synchronising(text)
    } else {
        Body::synchronising_twice(text)
    }
}

/// Returns `%result`, or it and bit 32 of `%both` as a pair.
fn end_with_predicate(ty: &str, predicate: bool) -> String {
    if !predicate {
        return format!("  ret {ty} %result");
    }
    format!(
        "  %high = lshr i64 %both, 32\n  %pred = trunc i64 %high to i1\n  \
         %half = insertvalue {{ {ty}, i1 }} poison, {ty} %result, 0\n  \
         %pair = insertvalue {{ {ty}, i1 }} %half, i1 %pred, 1\n  ret {{ {ty}, i1 }} %pair"
    )
}

/// `vote.{all,any,uni,ballot}[.sync]`
fn vote(name: &str) -> Option<Body> {
    let form = name.strip_prefix("vote.")?;
    let (mode, synchronised) = form
        .strip_suffix(".sync")
        .map_or((form, false), |mode| (mode, true));
    let code = match mode {
        "all" => VoteMode::All,
        "any" => VoteMode::Any,
        "uni" => VoteMode::Uni,
        "ballot" => VoteMode::Ballot,
        _ => return None,
    } as u32;
    let (mask, predicate) = if synchronised {
        ("%a0", "%a1")
    } else {
        ("%mask", "%a0")
    };
    let end = match mode {
        "ballot" => "  ret i32 %all",
        _ => "  %holds = icmp ne i32 %all, 0\n  ret i1 %holds",
    };
    let text = format!(
        "{CONTEXT}{}  %pred = zext i1 {predicate} to i32\n  \
         %all = call i32 @vgpu_vote(ptr %cx, i32 %site, i32 {mask}, i32 {code}, i32 %pred)\n{end}",
        if synchronised { "" } else { ACTIVE }
    );
    if synchronised {
        Body::synchronising(text)
    } else {
        Body::synchronising_twice(text)
    }
}

/// `match.any.sync.{i32,i64}`, `match.all.sync.{i32p,i64p}`
fn matches(name: &str) -> Option<Body> {
    let widen = |ty: &str| match ty {
        "i32" => Some("  %value = zext i32 %a1 to i64\n"),
        "i64" => Some("  %value = bitcast i64 %a1 to i64\n"),
        _ => None,
    };
    if let Some(ty) = name.strip_prefix("match.any.sync.") {
        return Body::synchronising(format!(
            "{CONTEXT}{}  %lanes = call i32 @vgpu_match_any(ptr %cx, i32 %site, i32 %a0, i64 %value)\n  ret i32 %lanes",
            widen(ty)?
        ));
    }
    let ty = name.strip_prefix("match.all.sync.")?.strip_suffix('p')?;
    Body::synchronising(format!(
        "{CONTEXT}{}  %both = call i64 @vgpu_match_all(ptr %cx, i32 %site, i32 %a0, i64 %value)\n  \
         %result = trunc i64 %both to i32\n{}",
        widen(ty)?,
        end_with_predicate("i32", true)
    ))
}

/// `redux.sync.*` of integers.
fn redux(name: &str) -> Option<Body> {
    let operation = match name.strip_prefix("redux.sync.")? {
        "add" => ReduxOp::Add,
        "umin" => ReduxOp::Umin,
        "umax" => ReduxOp::Umax,
        "min" => ReduxOp::Smin,
        "max" => ReduxOp::Smax,
        "and" => ReduxOp::And,
        "or" => ReduxOp::Or,
        "xor" => ReduxOp::Xor,
        _ => return None,
    } as u32;
    Body::synchronising(format!(
        "{CONTEXT}  %all = call i32 @vgpu_redux(ptr %cx, i32 %site, i32 %a1, i32 {operation}, i32 %a0)\n  ret i32 %all"
    ))
}

/// The lowest member is the leader, once all members are there.
fn elect() -> Option<Body> {
    let lane = std::mem::offset_of!(codegen::vgpu_abi::ThreadContext, laneid);
    Body::synchronising(format!(
        "{CONTEXT}  call void @vgpu_syncwarp(ptr %cx, i32 %site, i32 %a0)\n  \
         %result = call i32 @llvm.cttz.i32(i32 %a0, i1 false)\n  \
         %field = getelementptr i8, ptr %cx, i64 {lane}\n  \
         %lane = load i32, ptr %field, align 4, !invariant.load !0\n  \
         %pred = icmp eq i32 %lane, %result\n  \
         %half = insertvalue {{ i32, i1 }} poison, i32 %result, 0\n  \
         %pair = insertvalue {{ i32, i1 }} %half, i1 %pred, 1\n  ret {{ i32, i1 }} %pair"
    ))
}
