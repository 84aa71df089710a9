//! Bad input: the compiler ends with an exit code and a message, or with an abort of LLVM that the client reports. It
//! never hangs, and never succeeds on something that is not an image.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Assembles one of the test files to bitcode, with the compiler's own reader and LLVM's assembler.
fn bitcode() -> Vec<u8> {
    let prefix =
        std::env::var("LLVM_SYS_221_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".to_owned());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ll/whole_kernel.ll");
    let output = Command::new(format!("{prefix}/bin/llvm-as"))
        .args([source, "-o", "-"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

fn compile(command: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_omptarget-codegen"))
        .arg(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A compiler that rejects the first bytes need not read the rest.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn assert_refused(command: &str, input: &[u8], what: &str) {
    let output = compile(command, input);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{command} accepts {what}");
    assert!(
        message.contains("rror"),
        "{command} refuses {what} without a message: {message}"
    );
    assert!(
        output.stdout.is_empty(),
        "{command} refuses {what} but writes output"
    );
}

#[test]
fn bitcode_itself_is_accepted() {
    let output = compile("vgpu", &bitcode());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn truncated_bitcode_is_refused() {
    let whole = bitcode();
    for length in (0..whole.len() - 4).step_by(whole.len() / 23) {
        assert_refused(
            "vgpu",
            &whole[..length],
            &format!("the first {length} bytes"),
        );
        assert_refused(
            "inspect",
            &whole[..length],
            &format!("the first {length} bytes"),
        );
    }
}

/// A small generator of bytes (xorshift64*), so that the test is the same every time.
fn noise(seed: u64) -> impl Iterator<Item = u8> {
    let mut state = seed;
    std::iter::from_fn(move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        Some((state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 56) as u8)
    })
}

#[test]
fn random_bytes_are_refused() {
    for seed in 1..20 {
        let bytes: Vec<u8> = noise(seed).take(3000).collect();
        assert_refused("vgpu", &bytes, "random bytes");
        let with_magic = [&b"BC\xc0\xde"[..], &bytes].concat();
        assert_refused("vgpu", &with_magic, "random bytes after the magic");
    }
}

#[test]
fn damaged_bitcode_ends() {
    let whole = bitcode();
    for seed in 1..40 {
        let mut damaged = whole.clone();
        let mut bytes = noise(seed);
        for _ in 0..3 {
            let at = usize::from(bytes.next().unwrap()) << 8 | usize::from(bytes.next().unwrap());
            damaged[at % whole.len()] ^= 1 << (bytes.next().unwrap() & 7);
        }
        // Some damage is harmless (a name); the rest must be told.
        let output = compile("vgpu", &damaged);
        assert!(
            output.status.success() || !output.stderr.is_empty(),
            "seed {seed}: {}",
            output.status
        );
    }
}
