//! PTX ISA, "mma.sp": products with a sparse left factor.

use crate::fragments::{A, B, C, Form};
use crate::matrices::{Matrix, format, place};
use crate::run::on_both_engines_for;

/// A form: its opcode, the common side, the types, and the lanes that have the metadata.
struct Sparse {
    text: &'static str,
    k: usize,
    types: [&'static str; 4],
    selector: usize,
}

const fn form(text: &'static str, k: usize, types: [&'static str; 4], selector: usize) -> Sparse {
    Sparse {
        text,
        k,
        types,
        selector,
    }
}

const FORMS: [Sparse; 9] = [
    form(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        16,
        ["f32", "f16", "f16", "f32"],
        2,
    ),
    form(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16",
        32,
        ["f16", "f16", "f16", "f16"],
        1,
    ),
    form(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32",
        32,
        ["f32", "bf16", "bf16", "f32"],
        0,
    ),
    form(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        8,
        ["f32", "tf32", "tf32", "f32"],
        3,
    ),
    form(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32",
        16,
        ["f32", "tf32", "tf32", "f32"],
        1,
    ),
    form(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",
        32,
        ["s32", "s8", "u8", "s32"],
        1,
    ),
    form(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.s8.s32",
        64,
        ["s32", "s8", "s8", "s32"],
        0,
    ),
    form(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32",
        64,
        ["s32", "u4", "s4", "s32"],
        1,
    ),
    form(
        "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32",
        64,
        ["f32", "e4m3", "e5m2", "f32"],
        0,
    ),
];

impl Sparse {
    /// The dense product with so long a common side: its fragments are those of this one.
    fn dense(&self, k: usize) -> Form {
        Form {
            text: self.text,
            shape: [16, 8, k],
            types: self.types,
            layouts: [A, B, C],
            of_result: C,
        }
    }

    fn bits(&self) -> usize {
        format(self.types[1]).bits
    }

    /// Elements of a group.
    fn group(&self) -> usize {
        match self.bits() {
            32 => 2,
            4 => 8,
            _ => 4,
        }
    }

    /// Which elements of a group are given, by a random number, and the four bits that say so.
    fn chosen(&self, random: usize) -> (Vec<usize>, u64) {
        const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let [first, second] = PAIRS[random % 6];
        let bits = (first | second << 2) as u64;
        match self.bits() {
            32 => [(vec![0], 0b0100), (vec![1], 0b1110)][random % 2].clone(),
            4 => {
                let elements = [first, second].map(|pair| [2 * pair, 2 * pair + 1]);
                (elements.concat(), bits)
            }
            _ => (vec![first, second], bits),
        }
    }

    /// Puts a row's metadata into the registers of the lanes that the figures of the PTX ISA name.
    fn put(&self, words: &mut [u32], row: usize, group: usize, bits: u64) {
        let (quad, block) = (row % 8 * 4, row / 8);
        let bit = 4 * group;
        let groups = self.k / self.group() * 4;
        let (lane, at) = match (groups, self.bits() >= 16) {
            (16, _) => (self.selector, 16 * block + bit),
            (32, true) => (2 * self.selector + bit / 16, 16 * block + bit % 16),
            (32, false) => (2 * self.selector + block, bit),
            _ => (block + bit / 32 * 2, bit % 32),
        };
        place(words, (quad + lane) * 32 + at, bits);
    }

    /// Which elements of the common side each row has, and the metadata.
    fn metadata(&self, seed: usize) -> (Vec<Vec<usize>>, Vec<u32>) {
        let (mut rows, mut words) = (Vec::new(), vec![0; 32]);
        for row in 0..16 {
            let mut elements = Vec::new();
            for group in 0..self.k / self.group() {
                let (chosen, bits) = self.chosen((seed + row * 7 + group * 5) ^ (row * group));
                elements.extend(chosen.into_iter().map(|one| group * self.group() + one));
                self.put(&mut words, row, group, bits);
            }
            rows.push(elements);
        }
        (rows, words)
    }
}

/// A kernel that has each lane load its registers and store those of the result.
fn kernel(index: usize, form: &Sparse) -> String {
    let (narrow, wide) = (
        form.dense(form.k / 2).registers(),
        form.dense(form.k).registers(),
    );
    let counts = [narrow[0], wide[1], wide[2], 1, wide[3]];
    let names = ["a", "b", "c", "e", "d"];
    let parameters: Vec<_> = (0..5).map(|at| format!(".param .u64 p{at}")).collect();
    let mut text = format!(
        ".visible .entry sparse{index}({})\n{{\n  .reg .b32 %lane; .reg .b64 %at;\n  mov.u32 %lane, %laneid;\n",
        parameters.join(", ")
    );
    let list = |which: usize| {
        let all: Vec<_> = (0..counts[which])
            .map(|at| format!("%{}{at}", names[which]))
            .collect();
        format!("{{{}}}", all.join(", "))
    };
    for which in 0..5 {
        text += &format!("  .reg .b32 %{}<{}>;\n", names[which], counts[which]);
    }
    for which in 0..5 {
        if which == 4 {
            text += &format!(
                "  {} {}, {}, {}, {}, %e0, {};\n",
                form.text,
                list(4),
                list(0),
                list(1),
                list(2),
                form.selector
            );
        }
        text += &format!(
            "  ld.param.u64 %at, [p{which}];\n  mad.wide.u32 %at, %lane, {}, %at;\n",
            4 * counts[which]
        );
        for at in 0..counts[which] {
            let (name, offset) = (names[which], 4 * at);
            text += &match which {
                4 => format!("  st.global.b32 [%at+{offset}], %{name}{at};\n"),
                _ => format!("  ld.global.b32 %{name}{at}, [%at+{offset}];\n"),
            };
        }
    }
    text + "  ret;\n}\n"
}

#[test]
fn products_with_a_sparse_factor() {
    let kernels: String = FORMS
        .iter()
        .enumerate()
        .map(|(index, form)| kernel(index, form))
        .collect();
    on_both_engines_for("sm_90", &kernels, |kernels, engine| {
        let mut wrong = Vec::new();
        for (index, form) in FORMS.iter().enumerate() {
            let (narrow, wide) = (form.dense(form.k / 2), form.dense(form.k));
            let a = Matrix::random(form.types[1], 16, form.k / 2, index * 8 + 1);
            let b = Matrix::random(form.types[2], form.k, 8, index * 8 + 2);
            let c = Matrix::random(form.types[3], 16, 8, index * 8 + 3);
            let (rows, metadata) = form.metadata(index);
            let d = Matrix::computed(form.types[0], 16, 8, |row, column| {
                let given = rows[row].iter().enumerate();
                let products = given.map(|(at, k)| a.number(row, at) * b.number(*k, column));
                let sum = c.number(row, column) + products.sum::<i64>();
                match form.text.contains("satfinite") {
                    true => sum.clamp(i32::MIN.into(), i32::MAX.into()),
                    false => sum,
                }
            });
            let expected = wide.to_registers(3, &[&d]);
            let arguments = [
                narrow.to_registers(0, &[&a]),
                wide.to_registers(1, &[&b]),
                wide.to_registers(2, &[&c]),
                metadata,
                vec![0; expected.len()],
            ];
            if kernels.launch(&format!("sparse{index}"), &arguments) != expected {
                wrong.push(format!("{engine}: {}", form.text));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}
