//! PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions": `mma.sync`.
//!
//! Elements are small integers, of which every format has exact sums.

use crate::fragments::{A, B, C, Form, Layout, QUAD_COLUMNS, QUAD_ROWS, QUAD_SINGLES, QUAD_SUMS};
use crate::matrices::{Matrix, format};
use crate::run::on_both_engines_for;

const fn form(text: &'static str, shape: [usize; 3], types: [&'static str; 4]) -> Form {
    Form {
        text,
        shape,
        types,
        layouts: [A, B, C],
        of_result: C,
    }
}

const fn quads(text: &'static str, sum: &'static str, layouts: [Layout; 3]) -> Form {
    Form {
        text,
        shape: [8, 8, 4],
        types: [sum, "f16", "f16", sum],
        layouts,
        of_result: layouts[2],
    }
}

const SINGLE: &str = "f32";

/// A form of every kind of factor, sum and shape.
const FORMS: [Form; 31] = [
    form(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
        [16, 8, 8],
        [SINGLE, "f16", "f16", SINGLE],
    ),
    form(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        [16, 8, 16],
        [SINGLE, "f16", "f16", SINGLE],
    ),
    form(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
        [16, 8, 16],
        ["f16", "f16", "f16", "f16"],
    ),
    form(
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32",
        [16, 8, 8],
        [SINGLE, "bf16", "bf16", SINGLE],
    ),
    form(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
        [16, 8, 16],
        [SINGLE, "bf16", "bf16", SINGLE],
    ),
    form(
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32",
        [16, 8, 4],
        [SINGLE, "tf32", "tf32", SINGLE],
    ),
    form(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        [16, 8, 8],
        [SINGLE, "tf32", "tf32", SINGLE],
    ),
    form(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        [8, 8, 4],
        ["f64"; 4],
    ),
    form(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64",
        [16, 8, 4],
        ["f64"; 4],
    ),
    form(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64",
        [16, 8, 8],
        ["f64"; 4],
    ),
    form(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64",
        [16, 8, 16],
        ["f64"; 4],
    ),
    form(
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32",
        [8, 8, 16],
        ["s32", "s8", "s8", "s32"],
    ),
    form(
        "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32",
        [16, 8, 16],
        ["s32", "u8", "s8", "s32"],
    ),
    form(
        "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32",
        [16, 8, 32],
        ["s32", "s8", "u8", "s32"],
    ),
    form(
        "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32",
        [16, 8, 32],
        ["s32", "u8", "u8", "s32"],
    ),
    form(
        "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.s4.s4.s32",
        [8, 8, 32],
        ["s32", "s4", "s4", "s32"],
    ),
    form(
        "mma.sync.aligned.m16n8k32.row.col.s32.u4.s4.s32",
        [16, 8, 32],
        ["s32", "u4", "s4", "s32"],
    ),
    form(
        "mma.sync.aligned.m16n8k64.row.col.s32.u4.u4.s32",
        [16, 8, 64],
        ["s32", "u4", "u4", "s32"],
    ),
    form(
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
        [8, 8, 128],
        ["s32", "b1", "b1", "s32"],
    ),
    form(
        "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc",
        [16, 8, 128],
        ["s32", "b1", "b1", "s32"],
    ),
    form(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
        [16, 8, 256],
        ["s32", "b1", "b1", "s32"],
    ),
    form(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",
        [16, 8, 32],
        [SINGLE, "e4m3", "e5m2", SINGLE],
    ),
    form(
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32",
        [16, 8, 32],
        [SINGLE, "e5m2", "e4m3", SINGLE],
    ),
    form(
        "mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16",
        [16, 8, 16],
        ["f16", "e4m3", "e4m3", "f16"],
    ),
    quads(
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16",
        "f16",
        [QUAD_ROWS, QUAD_ROWS, QUAD_SUMS],
    ),
    quads(
        "mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16",
        "f16",
        [QUAD_COLUMNS, QUAD_ROWS, QUAD_SUMS],
    ),
    quads(
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
        "f32",
        [QUAD_ROWS, QUAD_ROWS, QUAD_SINGLES],
    ),
    Form {
        types: ["f32", "f16", "f16", "f16"],
        of_result: QUAD_SINGLES,
        ..quads(
            "mma.sync.aligned.m8n8k4.col.col.f32.f16.f16.f16",
            "f16",
            [QUAD_COLUMNS, QUAD_ROWS, QUAD_SUMS],
        )
    },
    form(
        "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64",
        [8, 8, 4],
        ["f64"; 4],
    ),
    quads(
        "mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32",
        "f32",
        [QUAD_ROWS, QUAD_COLUMNS, QUAD_SINGLES],
    ),
    quads(
        "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32",
        "f32",
        [QUAD_COLUMNS, QUAD_COLUMNS, QUAD_SINGLES],
    ),
];

/// Forms of newer GPUs: factors of 6 and 4 bits.
const NEWER_FORMS: [Form; 2] = [
    form(
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32",
        [16, 8, 32],
        [SINGLE, "e3m2", "e2m1", SINGLE],
    ),
    form(
        "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e5m2.e2m3.f32",
        [16, 8, 32],
        [SINGLE, "e5m2", "e2m3", SINGLE],
    ),
];

/// A kernel that has each lane load its registers of the factors and the addend, and store those of the result.
fn kernel(index: usize, form: &Form) -> String {
    let counts = form.registers();
    let mut text = format!(
        ".visible .entry product{index}(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{{\n  \
         .reg .b32 %lane; .reg .b64 %at;\n  mov.u32 %lane, %laneid;\n"
    );
    let names = ["a", "b", "c", "d"];
    let bits = |matrix: usize| format(form.type_of(matrix)).register();
    let list = |matrix: usize| {
        let names: Vec<_> = (0..counts[matrix])
            .map(|at| format!("%{}{at}", names[matrix]))
            .collect();
        format!("{{{}}}", names.join(", "))
    };
    for matrix in 0..4 {
        text += &format!(
            "  .reg .b{} %{}<{}>;\n",
            bits(matrix),
            names[matrix],
            counts[matrix]
        );
    }
    let address = |matrix: usize| {
        format!(
            "  ld.param.u64 %at, [p{matrix}];\n  mad.wide.u32 %at, %lane, {}, %at;\n",
            counts[matrix] * bits(matrix) / 8
        )
    };
    for matrix in 0..3 {
        text += &address(matrix);
        for at in 0..counts[matrix] {
            let offset = at * bits(matrix) / 8;
            text += &format!(
                "  ld.global.b{} %{}{at}, [%at+{offset}];\n",
                bits(matrix),
                names[matrix]
            );
        }
    }
    text += &format!(
        "  {} {}, {}, {}, {};\n",
        form.text,
        list(3),
        list(0),
        list(1),
        list(2)
    );
    text += &address(3);
    for at in 0..counts[3] {
        text += &format!(
            "  st.global.b{} [%at+{}], %d{at};\n",
            bits(3),
            at * bits(3) / 8
        );
    }
    text + "  ret;\n}\n"
}

/// What a product is to be: for each of its parts, the factors and the sum.
fn expected(form: &Form, [a, b, c]: [&Matrix; 3]) -> Matrix {
    let [rows, columns, common] = form.shape;
    Matrix::computed(form.type_of(3), rows, columns, |row, column| {
        let products = (0..common).map(|k| {
            let (a, b) = (a.number(row, k), b.number(k, column));
            match () {
                _ if form.text.contains(".xor.") => (a != b).into(),
                _ => a * b,
            }
        });
        let sum = c.number(row, column) + products.sum::<i64>();
        match form.text.contains("satfinite") {
            true => sum.clamp(i32::MIN.into(), i32::MAX.into()),
            false => sum,
        }
    })
}

#[test]
fn products_of_matrices() {
    products("sm_90", &FORMS);
    products("sm_120a", &NEWER_FORMS);
}

fn products(target: &str, forms: &[Form]) {
    let kernels: String = forms
        .iter()
        .enumerate()
        .map(|(index, form)| kernel(index, form))
        .collect();
    on_both_engines_for(target, &kernels, |kernels, engine| {
        let mut wrong = Vec::new();
        for (index, form) in forms.iter().enumerate() {
            let [m, n, k] = form.shape;
            let sizes = [(m, k), (k, n), (m, n)];
            let parts: Vec<[Matrix; 3]> = (0..form.parts())
                .map(|part| {
                    [0, 1, 2].map(|which| {
                        let (rows, columns) = sizes[which];
                        Matrix::random(
                            form.type_of(which),
                            rows,
                            columns,
                            index * 16 + part * 4 + which,
                        )
                    })
                })
                .collect();
            let mut arguments: Vec<_> = (0..3)
                .map(|which| {
                    let of_parts: Vec<_> = parts.iter().map(|part| &part[which]).collect();
                    form.to_registers(which, &of_parts)
                })
                .collect();
            let results: Vec<_> = parts
                .iter()
                .map(|[a, b, c]| expected(form, [a, b, c]))
                .collect();
            let results = form.to_registers(3, &results.iter().collect::<Vec<_>>());
            arguments.push(vec![0; results.len()]);
            let found = kernels.launch(&format!("product{index}"), &arguments);
            if found != results {
                wrong.push(format!("{engine}: {}", form.text));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
