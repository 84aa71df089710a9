//! `mbarrier` objects (PTX ISA, "mbarrier"), without transaction counts.
//!
//! The object is opaque to programs. Here its 64 bits are: arrivals pending in this phase (20 bits),
//! arrivals expected per phase (20 bits), number of the phase (24 bits). The threads of a block share
//! one CPU thread and change over only in engine calls, so plain volatile accesses are atomic among
//! them; volatile also marks loops that poll as waiting (pass `spin`).

use super::Body;

/// Lowers `mbarrier.*`.
pub fn lower(name: &str) -> Option<Body> {
    let form = name.strip_prefix("mbarrier.")?;
    if form.contains("expect.tx") || form.contains("complete.tx") || form.contains("space.cluster")
    {
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
        "test.wait" => Body::plain(phase_differs(space)),
        "test.wait.parity" => Body::plain(parity_differs(space)),
        "try.wait" | "try.wait.tl" => Body::synchronising(yielding(&phase_differs(space))),
        "try.wait.parity" | "try.wait.parity.tl" => {
            Body::synchronising(yielding(&parity_differs(space)))
        }
        _ => None,
    }
}

/// Takes `count` arrivals off (and, dropping, off the expected count too); at none left the next
/// phase begins. The result is the state before.
fn arrive(space: &str, count: &str, drop: bool) -> Option<Body> {
    let expected = if drop {
        "%expected0, %count"
    } else {
        "%expected0, 0"
    };
    Body::plain(format!(
        "  %old = load volatile i64, {space} %a0, align 8\n  %count32 = add i32 {count}, 0\n  \
         %count = zext i32 %count32 to i64\n  %pending0 = and i64 %old, 1048575\n  \
         %pending = sub i64 %pending0, %count\n  \
         %shifted = lshr i64 %old, 20\n  %expected0 = and i64 %shifted, 1048575\n  %expected = sub i64 {expected}\n  \
         %phase0 = lshr i64 %old, 40\n  %phase1 = add i64 %phase0, 1\n  %complete = icmp eq i64 %pending, 0\n  \
         %phase = select i1 %complete, i64 %phase1, i64 %phase0\n  \
         %left = select i1 %complete, i64 %expected, i64 %pending\n  \
         %high = shl i64 %phase, 40\n  %middle = shl i64 %expected, 20\n  %both = or i64 %high, %middle\n  \
         %word = or i64 %both, %left\n  store volatile i64 %word, {space} %a0, align 8\n  ret i64 %old"
    ))
}

fn phase_differs(space: &str) -> String {
    format!(
        "  %now = load volatile i64, {space} %a0, align 8\n  %phase = lshr i64 %now, 40\n  \
         %before = lshr i64 %a1, 40\n  \
         %done = icmp ne i64 %phase, %before\n  ret i1 %done"
    )
}

/// The phase with the given parity is over when the current one has the other.
fn parity_differs(space: &str) -> String {
    format!(
        "  %now = load volatile i64, {space} %a0, align 8\n  %phase = lshr i64 %now, 40\n  \
         %current = trunc i64 %phase to i1\n  \
         %asked = trunc i32 %a1 to i1\n  %done = xor i1 %current, %asked\n  ret i1 %done"
    )
}

/// The waiting forms let the other threads run once before they test the phase.
fn yielding(test: &str) -> String {
    format!("  %cx = call ptr @vgpu.context()\n  call void @vgpu_yield(ptr %cx, i32 %site)\n{test}")
}
