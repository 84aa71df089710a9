//! Stores, reductions and copies that a thread need not wait for, atomic operations on vectors, and the refusal of
//! clusters (PTX ISA, "st.async", "red.async", "cp.reduce.async.bulk", "atom", "redux.sync", "clusterlaunchcontrol").

use crate::run::{on_both_engines, on_both_engines_for};

/// Each lane stores two words and adds to a third one in shared memory. A barrier waits for their bytes.
const STORES: &str = "
.visible .entry stores(.param .u64 in, .param .u64 out)
{
  .reg .pred %first, %done; .reg .b32 %lane, %at, %sum, %barrier, %a, %b; .reg .b64 %in, %out;
  .shared .align 16 .b8 room[256];
  .shared .align 4 .b32 sum;
  .shared .align 8 .b64 barrier;
  mov.u32 %lane, %laneid;
  setp.eq.u32 %first, %lane, 0;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mad.wide.u32 %in, %lane, 8, %in;
  mad.wide.u32 %out, %lane, 8, %out;
  mov.u32 %barrier, barrier;
  mov.u32 %sum, sum;
  mov.u32 %at, room;
  mad.lo.u32 %at, %lane, 8, %at;
  @%first mbarrier.init.shared::cta.b64 [%barrier], 1;
  @%first st.bulk.weak.shared::cta [%sum], 8, 0;
  @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%barrier], 384;
  bar.warp.sync -1;
  ld.global.v2.u32 {%a, %b}, [%in];
  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%at], {%b, %a}, [%barrier];
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%sum], %a, [%barrier];
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %done, [%barrier], 0;
  @!%done bra wait;
  ld.shared.v2.u32 {%a, %b}, [%at];
  ld.shared.u32 %at, [%sum];
  add.u32 %b, %b, %at;
  st.global.v2.u32 [%out], {%a, %b};
  ret;
}
";

fn words(count: u32) -> Vec<u32> {
    (0..count).map(|at| at.wrapping_mul(0x9e37_79b1)).collect()
}

#[test]
fn stores_tell_their_barrier() {
    let input = words(64);
    let sum = input
        .iter()
        .step_by(2)
        .fold(0, |sum: u32, word| sum.wrapping_add(*word));
    let swapped = input
        .chunks(2)
        .flat_map(|pair| [pair[1], pair[0].wrapping_add(sum)]);
    let expected: Vec<u32> = swapped.collect();
    // The instruction that clears is newer.
    on_both_engines_for("sm_100a", STORES, |kernels, engine| {
        let found = kernels.launch("stores", &[input.clone(), vec![0; 64]]);
        assert!(found == expected, "{engine}");
    });
}

/// The first lane has 256 bytes of shared memory combined with what the output has, as words of several types, and
/// copies some bytes of others.
const REDUCTIONS: &str = "
.visible .entry reductions(.param .u64 in, .param .u64 out)
{
  .reg .pred %first; .reg .b32 %lane, %at, %a, %b; .reg .b16 %mask; .reg .b64 %in, %out, %here;
  .shared .align 16 .b8 room[256];
  mov.u32 %lane, %laneid;
  setp.eq.u32 %first, %lane, 0;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mad.wide.u32 %here, %lane, 8, %in;
  mov.u32 %at, room;
  mad.lo.u32 %at, %lane, 8, %at;
  ld.global.v2.u32 {%a, %b}, [%here];
  st.shared.v2.u32 [%at], {%a, %b};
  mov.u32 %at, room;
  mov.u16 %mask, 0xa00f;
  fence.proxy.async.shared::cta;
  bar.warp.sync -1;
  @!%first bra end;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%at], 256;
  add.u64 %out, %out, 256;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s64 [%out], [%at], 256;
  add.u64 %out, %out, 256;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b64 [%out], [%at], 128;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u32 [%out+128], [%at+128], 128;
  add.u64 %out, %out, 256;
  cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%out], [%at], 256;
  add.u64 %out, %out, 256;
  cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out], [%at], 256, %mask;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
end:
  ret;
}
";

/// Bytes of words, and words of bytes.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn of_bytes(bytes: impl IntoIterator<Item = u8>) -> Vec<u32> {
    let bytes: Vec<_> = bytes.into_iter().collect();
    let word = |four: &[u8]| u32::from_le_bytes(four.try_into().expect("four bytes"));
    bytes.chunks(4).map(word).collect()
}

fn longs(words: &[u32]) -> impl Iterator<Item = u64> + '_ {
    words
        .chunks(2)
        .map(|two| u64::from(two[1]) << 32 | u64::from(two[0]))
}

fn of_longs(longs: impl Iterator<Item = u64>) -> Vec<u32> {
    longs
        .flat_map(|long| [long as u32, (long >> 32) as u32])
        .collect()
}

/// What the reductions leave of 64 words and five times as many.
fn reduced(input: &[u32], old: &[u32]) -> Vec<u32> {
    let part = |number: usize| &old[64 * number..64 * number + 64];
    let both = |left: &[u32], right: &[u32], combine: fn(u32, u32) -> u32| -> Vec<u32> {
        left.iter()
            .zip(right)
            .map(|(left, right)| combine(*left, *right))
            .collect()
    };
    let mut all = both(part(0), input, u32::wrapping_add);
    let largest = longs(part(1)).zip(longs(input));
    all.extend(of_longs(
        largest.map(|(old, new)| (old as i64).max(new as i64) as u64),
    ));
    all.extend(both(&part(2)[..32], &input[..32], |old, new| old ^ new));
    all.extend(both(&part(2)[32..], &input[32..], |old, limit| {
        if old >= limit { 0 } else { old + 1 }
    }));
    // Small whole numbers as halves: 1.0 is added to 2.0.
    all.extend(part(3).iter().map(|_| 0x4200_4200));
    let masked = bytes(part(4)).into_iter().zip(bytes(input)).enumerate();
    let masked = masked.map(|(at, (old, new))| {
        if 0xa00f >> (at % 16) & 1 == 1 {
            new
        } else {
            old
        }
    });
    all.extend(of_bytes(masked));
    all
}

#[test]
fn bulk_reductions() {
    // The halves of all words are 1.0 where halves are added, so those words are the same everywhere.
    let input = vec![0x3c00_3c00; 64];
    let old: Vec<_> = [
        words(64),
        words(64),
        words(64),
        vec![0x4000_4000; 64],
        words(64),
    ]
    .concat();
    let expected = reduced(&input, &old);
    on_both_engines_for("sm_100a", REDUCTIONS, |kernels, engine| {
        let found = kernels.launch("reductions", &[input.clone(), old.clone()]);
        assert!(found == expected, "{engine}");
    });
}

/// Lanes with the same remainder add vectors to the same place.
const VECTORS: &str = "
.visible .entry vectors(.param .u64 in, .param .u64 out)
{
  .reg .b32 %lane, %place; .reg .f32 %a, %b, %c, %d, %old<4>; .reg .b64 %in, %out;
  mov.u32 %lane, %laneid;
  and.b32 %place, %lane, 7;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mad.wide.u32 %in, %lane, 16, %in;
  mad.wide.u32 %out, %place, 16, %out;
  ld.global.v4.f32 {%a, %b, %c, %d}, [%in];
  atom.global.add.v4.f32 {%old0, %old1, %old2, %old3}, [%out], {%a, %b, %c, %d};
  red.global.v2.f32.add [%out], {%c, %d};
  ret;
}
";

#[test]
fn atomic_vectors() {
    // Whole numbers, whose sums do not depend on the order.
    let number = |at: usize| (at as f32 * 3.0 - 100.0).to_bits();
    let input: Vec<_> = (0..128).map(number).collect();
    let mut sums = [0f32; 32];
    for lane in 0..32 {
        let vector: Vec<_> = input[4 * lane..4 * lane + 4]
            .iter()
            .map(|bits| f32::from_bits(*bits))
            .collect();
        let place = 4 * (lane % 8);
        (0..4).for_each(|index| sums[place + index] += vector[index]);
        (0..2).for_each(|index| sums[place + index] += vector[2 + index]);
    }
    let expected = sums.map(f32::to_bits);
    on_both_engines(VECTORS, |kernels, engine| {
        let found = kernels.launch("vectors", &[input.clone(), vec![0; 32]]);
        assert!(found == expected, "{engine}");
    });
}

/// The least and the greatest number of the lanes of a mask, and the answer of a cluster that is not there.
const EXTREMES: &str = "
.visible .entry extremes(.param .u64 in, .param .u64 out)
{
  .reg .pred %p, %done; .reg .b32 %lane, %mask, %word; .reg .f32 %f, %r; .reg .b64 %in, %out; .reg .b128 %answer;
  .shared .align 16 .b8 answer[16];
  .shared .align 8 .b64 barrier;
  .reg .b32 %where, %barrier;
  mov.u32 %lane, %laneid;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mad.wide.u32 %in, %lane, 4, %in;
  mad.wide.u32 %out, %lane, 20, %out;
  ld.global.f32 %f, [%in];
  setp.lt.u32 %p, %lane, 12;
  selp.b32 %mask, 0xfff, 0xfffff000, %p;
  redux.sync.min.f32 %r, %f, %mask;
  st.global.f32 [%out], %r;
  redux.sync.max.f32 %r, %f, %mask;
  st.global.f32 [%out+4], %r;
  redux.sync.min.abs.f32 %r, %f, %mask;
  st.global.f32 [%out+8], %r;
  redux.sync.max.NaN.f32 %r, %f, %mask;
  st.global.f32 [%out+12], %r;
  mov.u32 %barrier, barrier;
  mov.u32 %where, answer;
  setp.eq.u32 %p, %lane, 0;
  @%p mbarrier.init.shared::cta.b64 [%barrier], 1;
  @%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%barrier], 16;
  bar.warp.sync -1;
  @%p clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%where], [%barrier];
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %done, [%barrier], 0;
  @!%done bra wait;
  ld.shared.b128 %answer, [%where];
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %answer;
  selp.u32 %word, 1, 0, %p;
  st.global.u32 [%out+16], %word;
  ret;
}
";

#[test]
fn extremes_of_a_warp() {
    let mut numbers: Vec<f32> = (0..32).map(|lane| (lane as f32 - 15.5) * 7.25).collect();
    numbers[3] = f32::NAN;
    numbers[20] = f32::NEG_INFINITY;
    numbers[30] = -0.0;
    let input: Vec<_> = numbers.iter().map(|number| number.to_bits()).collect();
    let of = |lanes: &[f32]| {
        let any_nan = lanes.iter().any(|number| number.is_nan());
        let numbers = || lanes.iter().copied().filter(|number| !number.is_nan());
        let most = numbers().fold(f32::NEG_INFINITY, f32::max);
        [
            numbers().fold(f32::INFINITY, f32::min).to_bits(),
            most.to_bits(),
            numbers()
                .map(f32::abs)
                .fold(f32::INFINITY, f32::min)
                .to_bits(),
            if any_nan { 0x7fff_ffff } else { most.to_bits() },
            0,
        ]
    };
    let (low, high) = numbers.split_at(12);
    let expected: Vec<u32> = [vec![of(low); 12], vec![of(high); 20]].concat().concat();
    on_both_engines_for("sm_100a", EXTREMES, |kernels, engine| {
        let found = kernels.launch("extremes", &[input.clone(), vec![7; 160]]);
        assert!(found == expected, "{engine}");
    });
}
