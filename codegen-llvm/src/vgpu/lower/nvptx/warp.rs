//! Operations of a warp: shuffle, vote, match, redux, elect, active mask (PTX ISA, "shfl.sync",
//! "vote.sync", "match.sync", "redux.sync", "elect.sync", "activemask", "bar.warp.sync").

use vgpu_abi::{ReduxOp, ShuffleMode, VoteMode};

use super::Body;
use super::engine::CONTEXT;

/// The forms without a member mask mean the lanes that are together here (PTX ISA before 6.0).
const ACTIVE: &str = "  %mask = call i64 @vgpu_activemask(ptr %cx, i32 %site1)\n";
/// The mask that the first operand names.
const NAMED: &str = "  %mask = zext i32 %a0 to i64\n";

/// Lowers the warp's operations.
pub fn lower(name: &str) -> Option<Body> {
    match name {
        "bar.warp.sync" => Body::synchronising(format!(
            "{CONTEXT}{NAMED}  call void @vgpu_syncwarp(ptr %cx, i32 %site, i64 %mask)\n  ret void"
        )),
        "activemask" => Body::synchronising(format!(
            "{CONTEXT}  %lanes = call i64 @vgpu_activemask(ptr %cx, i32 %site)\n  \
             %mask = trunc i64 %lanes to i32\n  ret i32 %mask"
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
    text += if synchronised { NAMED } else { ACTIVE };
    text += &format!(
        "  %bits = bitcast {ty} %a{value} to i32\n  \
         %both = call i64 @vgpu_shfl(ptr %cx, i32 %site, i64 %mask, i32 {mode}, \
         i32 %bits, i32 %a{lane}, i32 %a{clamp})\n  %low = trunc i64 %both to i32\n  \
         %result = bitcast i32 %low to {ty}\n"
    );
    text += &match predicate {
        true => {
            let predicate = "  %high = lshr i64 %both, 32\n  %pred = trunc i64 %high to i1\n";
            format!("{predicate}{}", pair(ty))
        }
        false => format!("  ret {ty} %result"),
    };
    if synchronised {
        Body::synchronising(text)
    } else {
        Body::synchronising_twice(text)
    }
}

/// Returns `%result` and `%pred`.
fn pair(ty: &str) -> String {
    format!(
        "  %half = insertvalue {{ {ty}, i1 }} poison, {ty} %result, 0\n  \
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
        (NAMED, "%a1")
    } else {
        (ACTIVE, "%a0")
    };
    let end = match mode {
        "ballot" => "  %lanes = trunc i64 %all to i32\n  ret i32 %lanes",
        _ => "  %holds = icmp ne i64 %all, 0\n  ret i1 %holds",
    };
    let text = format!(
        "{CONTEXT}{mask}  %pred = zext i1 {predicate} to i32\n  \
         %all = call i64 @vgpu_vote(ptr %cx, i32 %site, i64 %mask, i32 {code}, i32 %pred)\n{end}"
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
            "{CONTEXT}{NAMED}{}  %lanes = call i64 @vgpu_match_any(ptr %cx, i32 %site, i64 %mask, i64 %value)\n  \
             %result = trunc i64 %lanes to i32\n  ret i32 %result",
            widen(ty)?
        ));
    }
    let ty = name.strip_prefix("match.all.sync.")?.strip_suffix('p')?;
    Body::synchronising(format!(
        "{CONTEXT}{NAMED}{}  %lanes = call i64 @vgpu_match_all(ptr %cx, i32 %site, i64 %mask, i64 %value)\n  \
         %result = trunc i64 %lanes to i32\n  %pred = icmp ne i64 %lanes, 0\n{}",
        widen(ty)?,
        pair("i32")
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
        "{CONTEXT}  %mask = zext i32 %a1 to i64\n  \
         %all = call i32 @vgpu_redux(ptr %cx, i32 %site, i64 %mask, i32 {operation}, i32 %a0)\n  ret i32 %all"
    ))
}

/// `elect.sync`: the lowest member is the leader, once all members are there.
fn elect() -> Option<Body> {
    let lane = std::mem::offset_of!(vgpu_abi::ThreadContext, laneid);
    Body::synchronising(format!(
        "{CONTEXT}{NAMED}  call void @vgpu_syncwarp(ptr %cx, i32 %site, i64 %mask)\n  \
         %result = call i32 @llvm.cttz.i32(i32 %a0, i1 false)\n  \
         %field = getelementptr i8, ptr %cx, i64 {lane}\n  \
         %lane = load i32, ptr %field, align 4, !invariant.load !0\n  \
         %pred = icmp eq i32 %lane, %result\n{}",
        pair("i32")
    ))
}
