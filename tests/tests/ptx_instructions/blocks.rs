//! Barriers in memory with transactions, bulk copies, clusters of one block, and accesses of 128 bits (PTX ISA,
//! "mbarrier", "cp.async.bulk", "barrier.cluster", "mapa").

use crate::run::on_both_engines;

/// The first lane has 512 bytes copied to shared memory, for which all lanes wait. They exchange their halves there,
/// and a second copy brings the result to the output. Twice, so that both parities occur.
const COPIES: &str = "
.visible .entry copies(.param .u64 in, .param .u64 out)
{
  .reg .pred %first, %done; .reg .b32 %lane, %there, %at, %barrier, %rank, %round, %parity; .reg .b64 %in, %out;
  .reg .b128 %q, %r; .reg .b64 %low, %high;
  .shared .align 16 .b8 room[512];
  .shared .align 8 .b64 barrier;
  mov.u32 %lane, %laneid;
  setp.eq.u32 %first, %lane, 0;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %barrier, barrier;
  mov.u32 %rank, %cluster_ctarank;
  mapa.shared::cluster.u32 %there, room, %rank;
  @%first mbarrier.init.shared::cta.b64 [%barrier], 1;
  fence.mbarrier_init.release.cluster;
  barrier.cluster.arrive.relaxed.aligned;
  barrier.cluster.wait.acquire.aligned;
  mov.u32 %round, 0;
again:
  @%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%barrier], 512;
  @%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%there], [%in], 512, [%barrier];
  and.b32 %parity, %round, 1;
wait:
  mbarrier.try_wait.parity.shared::cta.b64 %done, [%barrier], %parity;
  @!%done bra wait;
  mad.lo.u32 %at, %lane, 16, %there;
  ld.shared.b128 %q, [%at];
  mov.b128 {%low, %high}, %q;
  mov.b128 %r, {%high, %low};
  st.shared.b128 [%at], %r;
  fence.proxy.async.shared::cta;
  bar.warp.sync -1;
  @%first cp.async.bulk.global.shared::cta.bulk_group [%out], [%there], 512;
  @%first cp.async.bulk.commit_group;
  @%first cp.async.bulk.wait_group 0;
  bar.warp.sync -1;
  add.u64 %in, %in, 512;
  add.u64 %out, %out, 512;
  add.u32 %round, %round, 1;
  setp.lt.u32 %done, %round, 2;
  @%done bra again;
  ret;
}
";

#[test]
fn bulk_copies() {
    let input: Vec<u32> = (0..256u32).map(|at| at.wrapping_mul(0x9e37_79b1)).collect();
    let expected: Vec<u32> = (0..256).map(|at| input[at ^ 2]).collect();
    on_both_engines(COPIES, |kernels, engine| {
        let found = kernels.launch("copies", &[input.clone(), vec![0; 256]]);
        assert!(found == expected, "{engine}");
    });
}

/// A phase ends when the threads have arrived and the bytes have come, in whatever order. The questions' answers are
/// bits, from the lowest on.
const PHASES: &str = "
.visible .entry phases(.param .u64 out)
{
  .reg .pred %p; .reg .b32 %bit, %bits, %lane, %pending; .reg .b64 %out, %state, %other;
  .shared .align 8 .b64 barrier;
  mov.u32 %lane, %laneid;
  setp.ne.u32 %p, %lane, 0;
  @%p ret;
  ld.param.u64 %out, [out];
  mbarrier.init.shared.b64 [barrier], 2;
  mbarrier.arrive.expect_tx.shared.b64 %state, [barrier], 24;
  mbarrier.pending_count.b64 %pending, %state;
  mbarrier.arrive.shared.b64 %other, [barrier];
  mbarrier.test_wait.shared.b64 %p, [barrier], %state;
  selp.u32 %bits, 1, 0, %p;
  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [barrier], 16;
  mbarrier.test_wait.shared.b64 %p, [barrier], %state;
  selp.u32 %bit, 2, 0, %p; or.b32 %bits, %bits, %bit;
  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [barrier], 8;
  mbarrier.test_wait.shared.b64 %p, [barrier], %state;
  selp.u32 %bit, 4, 0, %p; or.b32 %bits, %bits, %bit;
  mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [barrier], 8;
  mbarrier.arrive.shared.b64 %state, [barrier], 2;
  mbarrier.test_wait.shared.b64 %p, [barrier], %state;
  selp.u32 %bit, 8, 0, %p; or.b32 %bits, %bits, %bit;
  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [barrier], 8;
  mbarrier.test_wait.parity.shared.b64 %p, [barrier], 1;
  selp.u32 %bit, 16, 0, %p; or.b32 %bits, %bits, %bit;
  st.global.u32 [%out], %bits;
  st.global.u32 [%out+4], %pending;
  ret;
}
";

#[test]
fn phases_wait_for_bytes() {
    on_both_engines(PHASES, |kernels, engine| {
        let found = kernels.launch("phases", &[vec![0; 2]]);
        // Bytes that came too early count for those that are expected later.
        assert_eq!(found[..], [4 | 16, 2], "{engine}");
    });
}

/// What the special registers say of clusters, and atomic operations with 128 bits.
const WIDE: &str = "
.visible .entry wide(.param .u64 in, .param .u64 out)
{
  .reg .b32 %lane, %a, %b; .reg .b64 %in, %out, %low, %high, %zero; .reg .b128 %q, %r, %old;
  mov.u32 %lane, %laneid;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mad.wide.u32 %in, %lane, 16, %in;
  mad.wide.u32 %out, %lane, 32, %out;
  ld.global.b128 %q, [%in];
  mov.u64 %zero, 0;
  mov.b128 %r, {%zero, %zero};
  st.global.b128 [%out], %r;
  atom.global.exch.b128 %old, [%out], %q;
  atom.global.cas.b128 %old, [%out], %q, %r;
  mov.b128 {%low, %high}, %old;
  st.global.v2.u64 [%out+16], {%low, %high};
  mov.u32 %a, %cluster_nctarank;
  getctarank.u64 %b, %in;
  add.u32 %a, %a, %b;
  st.global.u32 [%out+12], %a;
  ret;
}
";

#[test]
fn accesses_of_128_bits() {
    let input: Vec<u32> = (0..128u32).map(|at| at.wrapping_mul(0x9e37_79b1)).collect();
    let expected = input
        .chunks(4)
        .flat_map(|lane| [&[0, 0, 0, 1], lane].concat());
    let expected: Vec<u32> = expected.collect();
    on_both_engines(WIDE, |kernels, engine| {
        let found = kernels.launch("wide", &[input.clone(), vec![0; 256]]);
        assert!(found == expected, "{engine}");
    });
}
