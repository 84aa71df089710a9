//! Addresses as compilers other than clang's write them: constant expressions, elements of arrays, and shared memory
//! without variables (PTX ISA, "Constant Expressions", "Arrays as Operands"; Dr.Jit and Halide).

use crate::run::on_both_engines;

/// A table of functions that is declared before it is defined, as Dr.Jit writes it.
const ELEMENTS: &str = "
.extern .global .u64 functions[2];
.const .align 4 .b32 numbers[4] = {1 << 4, ~0x2, (3 + 4) * 5, 7 > 3 ? -1 : 0};

.func (.param .b32 result) twice(.param .b32 value)
{ .reg .b32 %r; ld.param.b32 %r, [value]; shl.b32 %r, %r, 1; st.param.b32 [result], %r; ret; }
.func (.param .b32 result) thrice(.param .b32 value)
{ .reg .b32 %r; ld.param.b32 %r, [value]; mul.lo.u32 %r, %r, 3; st.param.b32 [result], %r; ret; }

.visible .entry elements(.param .u64 out)
{
  .reg .b32 %lane, %odd, %a, %b, %c, %d; .reg .b64 %out, %function, %address;
  .local .align 8 .b64 own[4];
  ld.param.u64 %out, [out];
  mov.u32 %lane, %laneid;
  mad.wide.u32 %out, %lane, 16, %out;
  and.b32 %odd, %lane, ~0x1e & 0x1f;
  ld.global.u64 %function, functions[%odd];
  {
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    .param .b32 result; .param .b32 value;
    st.param.b32 [value], %lane;
    call (result), %function, (value), proto;
    ld.param.b32 %a, [result];
  }
  ld.const.u32 %b, numbers[%odd + 2];
  st.local.u64 own[3], 11;
  mov.u64 %address, own[1];
  ld.local.u32 %c, [%address + 2 * 8];
  ld.const.u32 %d, numbers[1];
  st.global.v4.u32 [%out], {%a, %b, %c, %d};
  ret;
}
.visible .global .align 8 .u64 functions[2] = {twice, thrice};
";

#[test]
fn elements_of_arrays_and_constant_expressions() {
    on_both_engines(ELEMENTS, |kernels, engine| {
        let found = kernels.launch("elements", &[vec![0; 4 * 32]]);
        for (lane, found) in (0..).zip(found.chunks(4)) {
            let odd = lane % 2 == 1;
            let called = if odd { 3 * lane } else { 2 * lane };
            let number = if odd { u32::MAX } else { 35 };
            assert_eq!(found, [called, number, 11, !2], "{engine}, lane {lane}");
        }
    });
}

/// Lanes give each other words by addresses from 0, in three ways.
const SHARED: &str = "
.visible .entry shared(.param .u64 out)
{
  .reg .b32 %lane, %at, %a, %b, %c; .reg .b64 %out, %generic, %back; .reg .pred %is;
  ld.param.u64 %out, [out];
  mov.u32 %lane, %laneid;
  mad.wide.u32 %out, %lane, 16, %out;
  shl.b32 %at, %lane, 2;
  st.shared.u32 [%at], %lane;
  st.shared.u32 [%at + 128], 5;
  bar.sync 0;
  xor.b32 %at, %at, 4;
  ld.shared.u32 %a, [%at];
  atom.shared.add.u32 %b, [%at + 128], %lane;
  bar.sync 0;
  cvt.u64.u32 %generic, %at;
  cvta.shared.u64 %generic, %generic;
  ld.u32 %b, [%generic + 128];
  cvta.to.shared.u64 %back, %generic;
  cvt.u32.u64 %c, %back;
  isspacep.shared %is, %generic;
  @!%is mov.u32 %c, 1;
  st.global.v2.u32 [%out], {%a, %b};
  st.global.u32 [%out + 8], %c;
  ret;
}
";

#[test]
fn shared_memory_without_variables_begins_at_0() {
    on_both_engines(SHARED, |kernels, engine| {
        let found = kernels.launch_with_shared("shared", &[vec![0; 4 * 32]], 256);
        for (lane, found) in (0..).zip(found.chunks(4)) {
            let other: u32 = lane ^ 1;
            let expected = [other, 5 + lane, 4 * other, 0];
            assert_eq!(found, expected, "{engine}, lane {lane}");
        }
    });
}

/// Variables that are declared with a size and defined nowhere, as Taichi writes its blocks' memory.
const DECLARED: &str = "
.extern .shared .align 4 .b8 block[128];
.extern .global .align 4 .b32 word;
.visible .entry declared(.param .u64 out)
{
  .reg .b32 %lane, %at, %a, %b; .reg .b64 %out;
  ld.param.u64 %out, [out];
  mov.u32 %lane, %laneid;
  mad.wide.u32 %out, %lane, 8, %out;
  mov.u32 %at, block;
  mad.lo.u32 %at, %lane, 4, %at;
  st.shared.u32 [%at], %lane;
  ld.global.u32 %b, [word];
  bar.sync 0;
  mov.u32 %at, block;
  ld.shared.u32 %a, [%at + 12];
  st.global.v2.u32 [%out], {%a, %b};
  ret;
}
";

#[test]
fn what_is_declared_with_a_size_is_there() {
    on_both_engines(DECLARED, |kernels, engine| {
        let found = kernels.launch("declared", &[vec![1; 2 * 32]]);
        assert_eq!(found, [3, 0].repeat(32), "{engine}");
    });
}
