//! PTX as compilers other than clang's write it, on the virtual GPU.

use device_image::FAT_HEADER;
use e2e::ir::{Kernels, Shape};
use e2e::root;

const THREADS: u32 = 64;

fn conventions() -> String {
    std::fs::read_to_string(root().join("tests/ptx/conventions.ptx")).expect("the test's PTX")
}

/// What thread `thread` of conventions.ptx writes, question by question.
fn expected(thread: u32) -> [u32; 8] {
    let neighbour = thread ^ 1;
    let called = 3 * if thread.is_multiple_of(2) {
        thread + 1
    } else {
        3 * thread
    };
    let above = if thread.is_multiple_of(32) {
        77
    } else {
        thread - 1
    };
    let constant = [1, 2, 3, 4][thread as usize % 4];
    [
        neighbour,
        neighbour,
        7 * 1000 + (5 + thread) + 9,
        called,
        100 * (thread % 4 + 1),
        5 * 1000 + above,
        // The matrix's third element and the small parameter are in it, too.
        10 * constant + 2 + 3 + 500,
        0,
    ]
}

/// `structure` is { 5, 7, -, 9 } in words of 32, 32, 64 and 64 bits.
fn check(kernels: &Kernels) {
    let results = kernels.buffer(&vec![0u32; 16 * THREADS as usize]);
    let arguments = [results.argument(), 5 | 7 << 32, 0, 9, 500];
    kernels
        .launch_with(
            "conventions",
            Shape::spmd(1, THREADS),
            4 * THREADS,
            &arguments,
        )
        .unwrap_or_else(|error| panic!("{error}"));
    let found: Vec<u32> = kernels.read(results);
    for (thread, found) in found.chunks(16).enumerate() {
        assert_eq!(found[..8], expected(thread as u32), "thread {thread}");
    }
}

#[test]
fn conventions_of_other_compilers() {
    let kernels =
        Kernels::load_image(conventions().as_bytes(), 1).unwrap_or_else(|error| panic!("{error}"));
    check(&kernels);
    let refused = kernels
        .launch("refused", Shape::spmd(1, 1), &[0])
        .expect_err("an instruction that is not known")
        .to_string();
    let line = 1 + conventions()
        .lines()
        .position(|line| line.contains("wgmma.fence"))
        .expect("the instruction");
    for fact in [
        "wgmma.fence.sync.aligned",
        &format!("line {line}"),
        "conventions.cu:40:2",
    ] {
        assert!(refused.contains(fact), "{refused}");
    }
}

/// A fat binary as nvcc's: machine code, which no virtual GPU runs, and PTX.
#[test]
fn ptx_of_a_fat_binary() {
    let text = conventions();
    let mut entries = entry(2, 90, b"machine code");
    entries.extend(entry(1, 80, text.as_bytes()));
    let mut bytes = 0xba55_ed50u32.to_le_bytes().to_vec();
    bytes.extend(1u16.to_le_bytes());
    bytes.extend((FAT_HEADER as u16).to_le_bytes());
    bytes.extend((entries.len() as u64).to_le_bytes());
    bytes.extend(entries);
    let kernels = Kernels::load_image(&bytes, 1).unwrap_or_else(|error| panic!("{error}"));
    check(&kernels);
}

fn entry(kind: u16, arch: u32, content: &[u8]) -> Vec<u8> {
    let mut entry = vec![0; 64];
    entry[..2].copy_from_slice(&kind.to_le_bytes());
    entry[4..8].copy_from_slice(&64u32.to_le_bytes());
    entry[8..16].copy_from_slice(&(content.len() as u64).to_le_bytes());
    entry[28..32].copy_from_slice(&arch.to_le_bytes());
    entry.extend(content);
    entry
}

#[test]
fn mistakes_have_places() {
    for (text, facts) in [
        (
            ".version 7.0\n.target sm_80\n.address_size 32\n",
            ["line 3", "32 bits"],
        ),
        (
            ".version 77.0\n.target sm_80\n.address_size 64\n",
            ["line 1", "77.0"],
        ),
        (
            ".version 7.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n  bra nowhere;\n}\n",
            ["line 6", "nowhere"],
        ),
        (
            ".version 7.0\n.target sm_80\n.address_size 64\n.entry k(",
            ["line 4", "end of the text"],
        ),
    ] {
        let refused = match Kernels::load_image(text.as_bytes(), 1) {
            Ok(_) => panic!("{text} loads"),
            Err(refused) => refused.to_string(),
        };
        for fact in facts {
            assert!(refused.contains(fact), "{refused}");
        }
    }
}
