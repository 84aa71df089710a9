//! PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions": fragments from and to memory (`wmma`, `ldmatrix`,
//! `stmatrix`, `movmatrix`).

use crate::matrices::Matrix;
use crate::run::on_both_engines;

/// Shape, layouts of the four matrices, types of result, factors and addend.
type Form = ([usize; 3], [&'static str; 4], [&'static str; 4]);

const FORMS: [Form; 12] = [
    (
        [16, 16, 16],
        ["row", "col", "row", "col"],
        ["f32", "f16", "f16", "f32"],
    ),
    (
        [16, 16, 16],
        ["col", "row", "col", "row"],
        ["f16", "f16", "f16", "f16"],
    ),
    (
        [32, 8, 16],
        ["row", "row", "row", "row"],
        ["f32", "f16", "f16", "f16"],
    ),
    (
        [8, 32, 16],
        ["col", "col", "row", "row"],
        ["f16", "f16", "f16", "f32"],
    ),
    (
        [16, 16, 16],
        ["row", "row", "col", "row"],
        ["f32", "bf16", "bf16", "f32"],
    ),
    (
        [16, 16, 8],
        ["row", "col", "row", "row"],
        ["f32", "tf32", "tf32", "f32"],
    ),
    ([8, 8, 4], ["row", "col", "row", "col"], ["f64"; 4]),
    (
        [16, 16, 16],
        ["row", "col", "row", "row"],
        ["s32", "s8", "s8", "s32"],
    ),
    (
        [32, 8, 16],
        ["col", "row", "row", "col"],
        ["s32", "u8", "u8", "s32"],
    ),
    (
        [8, 32, 16],
        ["row", "row", "col", "row"],
        ["s32", "s8", "s8", "s32"],
    ),
    (
        [8, 8, 32],
        ["row", "col", "row", "row"],
        ["s32", "s4", "s4", "s32"],
    ),
    (
        [8, 8, 128],
        ["row", "col", "row", "row"],
        ["s32", "b1", "b1", "s32"],
    ),
];

/// Elements from one line to the next, when it is not the least.
const STRIDE: usize = 256;

fn registers([m, n, k]: [usize; 3], ty: &str, factor: Option<bool>) -> usize {
    match (factor, ty) {
        (None, "f16") => m * n / 64,
        (None, _) => m * n / 32,
        (_, "f16") => 8,
        (Some(left), _) => {
            let bits = crate::matrices::format(ty).bits;
            let elements = if left { m * k } else { k * n };
            elements / 32 * bits / bits.max(32)
        }
    }
}

fn kernel(index: usize, (shape, layouts, [d, a, b, c]): &Form) -> String {
    let [m, n, k] = shape;
    let name = format!("m{m}n{n}k{k}");
    let counts = [
        registers(*shape, a, Some(true)),
        registers(*shape, b, Some(false)),
        registers(*shape, c, None),
        registers(*shape, d, None),
    ];
    let list = |which: usize| {
        let names = (0..counts[which]).map(|at| format!("%{}{at}", ["a", "b", "c", "d"][which]));
        format!("{{{}}}", names.collect::<Vec<_>>().join(", "))
    };
    let mut text = format!(
        ".visible .entry wmma{index}(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{{\n  .reg .b64 %at;\n"
    );
    for (which, ty) in [a, b, c, d].into_iter().enumerate() {
        let bits = if *ty == "f64" { 64 } else { 32 };
        text += &format!(
            "  .reg .b{bits} %{}<{}>;\n",
            ["a", "b", "c", "d"][which],
            counts[which]
        );
    }
    for (which, ty) in [a, b, c].into_iter().enumerate() {
        text += &format!(
            "  ld.param.u64 %at, [p{which}];\n  wmma.load.{}.sync.aligned.{}.{name}.global.{ty} {}, [%at], {STRIDE};\n",
            ["a", "b", "c"][which],
            layouts[which],
            list(which)
        );
    }
    let (operation, types) = match *a {
        "f16" => ("", format!("{d}.{c}")),
        "b1" => (".xor.popc", format!("{d}.{a}.{b}.{c}")),
        _ => ("", format!("{d}.{a}.{b}.{c}")),
    };
    text += &format!(
        "  wmma.mma{operation}.sync.aligned.{}.{}.{name}.{types} {}, {}, {}, {};\n  ld.param.u64 %at, [p3];\n  \
         wmma.store.d.sync.aligned.{}.{name}.global.{d} [%at], {}, {STRIDE};\n  ret;\n}}\n",
        layouts[0],
        layouts[1],
        list(3),
        list(0),
        list(1),
        list(2),
        layouts[3],
        list(3)
    );
    text
}

#[test]
fn products_of_fragments() {
    let kernels: String = FORMS
        .iter()
        .enumerate()
        .map(|(index, form)| kernel(index, form))
        .collect();
    on_both_engines(&kernels, |kernels, engine| {
        for (index, (shape, layouts, types)) in FORMS.iter().enumerate() {
            let [m, n, k] = *shape;
            let a = Matrix::random(types[1], m, k, index);
            let b = Matrix::random(types[2], k, n, index + 50);
            let c = Matrix::random(types[3], m, n, index + 90);
            let d = Matrix::computed(types[0], m, n, |row, column| {
                let product = |k| match types[1] {
                    "b1" => i64::from(a.number(row, k) != b.number(k, column)),
                    _ => a.number(row, k) * b.number(k, column),
                };
                c.number(row, column) + (0..k).map(product).sum::<i64>()
            });
            let memory =
                |matrix: &Matrix, which: usize| matrix.in_memory(layouts[which] == "row", STRIDE);
            let expected = memory(&d, 3);
            let buffers = [
                memory(&a, 0),
                memory(&b, 1),
                memory(&c, 2),
                vec![0; expected.len()],
            ];
            let found = kernels.launch(&format!("wmma{index}"), &buffers);
            assert!(
                found == expected,
                "{engine}: {shape:?} {layouts:?} {types:?}"
            );
        }
    });
}

/// Each lane stores a row of 16 bytes. Then come what `ldmatrix` loads, the same transposed, what `movmatrix` makes of
/// the first register, and the rows that `stmatrix` stores from the lanes' rows as registers, plain and transposed.
const ROWS: &str = "
.visible .entry rows(.param .u64 in, .param .u64 out)
{
  .reg .b32 %lane, %row, %r<4>, %s<4>, %m; .reg .b64 %in, %out;
  .shared .align 16 .b8 plane[512];
  mov.u32 %lane, %laneid;
  mov.u32 %row, plane;
  mad.lo.u32 %row, %lane, 16, %row;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mad.wide.u32 %in, %lane, 16, %in;
  mad.wide.u32 %out, %lane, 84, %out;
  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%in];
  st.shared.v4.b32 [%row], {%r0, %r1, %r2, %r3};
  bar.warp.sync -1;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%s0, %s1, %s2, %s3}, [%row];
  st.global.b32 [%out], %s0; st.global.b32 [%out+4], %s1; st.global.b32 [%out+8], %s2; st.global.b32 [%out+12], %s3;
  movmatrix.sync.aligned.m8n8.trans.b16 %m, %s0;
  st.global.b32 [%out+32], %m;
  ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%s0, %s1, %s2, %s3}, [%row];
  st.global.b32 [%out+16], %s0; st.global.b32 [%out+20], %s1; st.global.b32 [%out+24], %s2; st.global.b32 [%out+28], %s3;
  bar.warp.sync -1;
  stmatrix.sync.aligned.m8n8.x4.shared.b16 [%row], {%r0, %r1, %r2, %r3};
  bar.warp.sync -1;
  ld.shared.v4.b32 {%s0, %s1, %s2, %s3}, [%row];
  st.global.b32 [%out+36], %s0; st.global.b32 [%out+40], %s1; st.global.b32 [%out+44], %s2; st.global.b32 [%out+48], %s3;
  bar.warp.sync -1;
  stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%row], {%r0, %r1, %r2, %r3};
  bar.warp.sync -1;
  ld.shared.v4.b32 {%s0, %s1, %s2, %s3}, [%row];
  st.global.b32 [%out+52], %s0; st.global.b32 [%out+56], %s1; st.global.b32 [%out+60], %s2; st.global.b32 [%out+64], %s3;
  ret;
}
";

#[test]
fn rows_of_matrices() {
    let plane: Vec<u32> = (0..128u32).map(|at| at.wrapping_mul(0x9e37_79b1)).collect();
    let half =
        |row: usize, column: usize| plane[row * 4 + column / 2] >> (16 * (column % 2)) & 0xffff;
    // Lane and register of an element that stmatrix stores.
    let stored = |matrix: usize, row: usize, column: usize| {
        plane[(row * 4 + column / 2) * 4 + matrix] >> (16 * (column % 2)) & 0xffff
    };
    let mut expected = vec![0; 32 * 21];
    for lane in 0..32 {
        let (row, column) = (lane / 4, lane % 4 * 2);
        let out = &mut expected[lane * 21..][..21];
        for matrix in 0..4 {
            out[matrix] = plane[(8 * matrix + row) * 4 + lane % 4];
            out[4 + matrix] =
                half(8 * matrix + column, row) | half(8 * matrix + column + 1, row) << 16;
            let word = |word: usize, transposed: bool| {
                let one = |column: usize| match transposed {
                    false => stored(lane / 8, lane % 8, column),
                    true => stored(lane / 8, column, lane % 8),
                };
                one(2 * word) | one(2 * word + 1) << 16
            };
            out[9 + matrix] = word(matrix, false);
            out[13 + matrix] = word(matrix, true);
        }
        out[8] = half(column, row) | half(column + 1, row) << 16;
    }
    on_both_engines(ROWS, |kernels, engine| {
        let found = kernels.launch("rows", &[plane.clone(), vec![0; 32 * 21]]);
        assert_eq!(found, expected, "{engine}");
    });
}
