//! `mbarrier` objects (PTX ISA, "mbarrier").
//!
//! The object is opaque to programs. Here its 64 bits are: arrivals pending in this phase (20 bits),
//! arrivals expected per phase (20 bits), bytes that the phase waits for (21 bits, with a sign), the lower
//! 3 bits of the phase's number: programs ask for the current phase and the one before. The threads of a block share
//! one CPU thread and change over only in engine calls, so plain volatile accesses are atomic among
//! them; volatile also marks loops that poll as waiting (pass `spin`).

use super::Body;

/// Lowers `mbarrier.*`.
pub fn lower(name: &str) -> Option<Body> {
    let form = name.strip_prefix("mbarrier.")?;
    if form.contains("space.cluster") {
        return None;
    }
    let space = if form.contains(".shared") || form.contains("space.cta") {
        "ptr addrspace(3)"
    } else {
        "ptr"
    };
    let form = match form.find(".scope.") {
        Some(at) => &form[..at],
        None => form.strip_suffix(".shared").unwrap_or(form),
    };
    let counted = name.contains(".scope.");
    match form.trim_end_matches(".relaxed") {
        "init" => Body::plain(format!(
            "  %count = zext i32 %a1 to i64\n  %expected = shl i64 %count, 20\n  %word = or i64 %count, %expected\n  \
             store volatile i64 %word, {space} %a0, align 8\n  ret void"
        )),
        "inval" => Body::plain(format!(
            "  store volatile i64 0, {space} %a0, align 8\n  ret void"
        )),
        "arrive" => arrive(space, if counted { "%a1" } else { "1" }, false),
        "arrive.noComplete" => arrive(space, "%a1", false),
        "arrive.drop" => arrive(space, if counted { "%a1" } else { "1" }, true),
        "arrive.drop.noComplete" => arrive(space, "%a1", true),
        "pending.count" => Body::plain(
            "  %low = trunc i64 %a0 to i32\n  %pending = and i32 %low, 1048575\n  ret i32 %pending",
        ),
        "expect.tx" => transaction(space, "add"),
        "complete.tx" => transaction(space, "sub"),
        "arrive.expect.tx" => arrive_expecting(space, false),
        "arrive.drop.expect.tx" => arrive_expecting(space, true),
        "test.wait" => Body::plain(phase_differs(space)),
        "test.wait.parity" => Body::plain(parity_differs(space)),
        "try.wait" | "try.wait.tl" => Body::synchronising(yielding(&phase_differs(space))),
        "try.wait.parity" | "try.wait.parity.tl" => {
            Body::synchronising(yielding(&parity_differs(space)))
        }
        _ => None,
    }
}

/// The parts of the word `%old`.
const PARTS: &str = "  %pending0 = and i64 %old, 1048575\n  %shifted = lshr i64 %old, 20\n  \
     %expected0 = and i64 %shifted, 1048575\n  %bytes.high = shl i64 %old, 3\n  \
     %bytes0 = ashr i64 %bytes.high, 43\n  %phase0 = lshr i64 %old, 61\n";

/// Makes a word of the parts and stores it. At no arrivals and no bytes left the next phase begins.
fn stored(space: &str) -> String {
    format!(
        "  %none = icmp eq i64 %pending, 0\n  %all = icmp eq i64 %bytes, 0\n  %complete = and i1 %none, %all\n  \
         %next = zext i1 %complete to i64\n  %phase = add i64 %phase0, %next\n  \
         %left = select i1 %complete, i64 %expected, i64 %pending\n  %high = shl i64 %phase, 61\n  \
         %middle = shl i64 %expected, 20\n  %bytes.low = and i64 %bytes, 2097151\n  \
         %bytes.placed = shl i64 %bytes.low, 40\n  %counts = or i64 %left, %middle\n  \
         %rest = or i64 %high, %bytes.placed\n  %word = or i64 %rest, %counts\n  \
         store volatile i64 %word, {space} %a0, align 8\n"
    )
}

/// Takes `count` arrivals off (and, dropping, off the expected count too). The result is the state before.
fn arrive(space: &str, count: &str, drop: bool) -> Option<Body> {
    arrival(space, count, drop, "0")
}

/// One arrival, before which the phase is told to wait for bytes.
fn arrive_expecting(space: &str, drop: bool) -> Option<Body> {
    arrival(space, "1", drop, "%a1")
}

fn arrival(space: &str, count: &str, drop: bool, more: &str) -> Option<Body> {
    let expected = if drop {
        "%expected0, %count"
    } else {
        "%expected0, 0"
    };
    Body::plain(format!(
        "  %old = load volatile i64, {space} %a0, align 8\n{PARTS}  %count32 = add i32 {count}, 0\n  \
         %count = zext i32 %count32 to i64\n  %pending = sub i64 %pending0, %count\n  \
         %expected = sub i64 {expected}\n  %more32 = add i32 {more}, 0\n  %more = zext i32 %more32 to i64\n  \
         %bytes = add i64 %bytes0, %more\n{}  ret i64 %old",
        stored(space)
    ))
}

/// Adds bytes that the phase waits for, or takes off those that have come.
fn transaction(space: &str, operation: &str) -> Option<Body> {
    Body::plain(format!(
        "  %old = load volatile i64, {space} %a0, align 8\n{PARTS}  %expected = add i64 %expected0, 0\n  \
         %pending = add i64 %pending0, 0\n  %more = zext i32 %a1 to i64\n  \
         %bytes = {operation} i64 %bytes0, %more\n{}  ret void",
        stored(space)
    ))
}

fn phase_differs(space: &str) -> String {
    format!(
        "  %now = load volatile i64, {space} %a0, align 8\n  %phase = lshr i64 %now, 61\n  \
         %before = lshr i64 %a1, 61\n  \
         %done = icmp ne i64 %phase, %before\n  ret i1 %done"
    )
}

/// The phase with the given parity is over when the current one has the other.
fn parity_differs(space: &str) -> String {
    format!(
        "  %now = load volatile i64, {space} %a0, align 8\n  %phase = lshr i64 %now, 61\n  \
         %current = trunc i64 %phase to i1\n  \
         %asked = trunc i32 %a1 to i1\n  %done = xor i1 %current, %asked\n  ret i1 %done"
    )
}

/// The waiting forms let the other threads run once before they test the phase.
fn yielding(test: &str) -> String {
    format!("  %cx = call ptr @vgpu.context()\n  call void @vgpu_yield(ptr %cx, i32 %site)\n{test}")
}
