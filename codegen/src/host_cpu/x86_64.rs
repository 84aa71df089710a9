//! The identity of an x86-64 CPU.

use std::arch::x86_64::{__cpuid_count, __get_cpuid_max, _xgetbv};

/// Bytes that differ between CPUs for which LLVM would generate different code.
pub fn identity() -> Vec<u8> {
    // Leaf, subleaf, and which of EAX, EBX, ECX and EDX describe features. The others describe the core that runs this
    // (APIC ids, frequencies). Intel SDM vol. 2, CPUID.
    const LEAVES: [(u32, u32, [bool; 4]); 8] = [
        (0, 0, [false, true, true, true]),
        (1, 0, [true, false, true, true]),
        (7, 0, [true, true, true, true]),
        (7, 1, [true, true, true, true]),
        (0xd, 1, [true, false, false, false]),
        (0x14, 0, [false, true, false, false]),
        (0x8000_0001, 0, [true, false, true, true]),
        (0x8000_0008, 0, [false, true, false, false]),
    ];
    let mut bytes = Vec::new();
    for (leaf, subleaf, kept) in LEAVES {
        let (highest, _) = __get_cpuid_max(leaf & 0x8000_0000);
        if leaf > highest {
            continue;
        }
        let answer = __cpuid_count(leaf, subleaf);
        let registers = [answer.eax, answer.ebx, answer.ecx, answer.edx];
        let registers = registers.into_iter().zip(kept).filter(|(_, kept)| *kept);
        registers.for_each(|(register, _)| bytes.extend_from_slice(&register.to_le_bytes()));
    }
    bytes.extend_from_slice(&enabled_state().to_le_bytes());
    bytes
}

/// The register files that the operating system saves (XCR0). AVX is usable only if the system saves its registers.
fn enabled_state() -> u64 {
    if !std::arch::is_x86_feature_detected!("xsave") {
        return 0;
    }
    // SAFETY: the CPU has XSAVE, and the check implies that the system has enabled it.
    unsafe { read_xcr0() }
}

/// # Safety
/// The CPU and the operating system support XSAVE.
#[target_feature(enable = "xsave")]
unsafe fn read_xcr0() -> u64 {
    // SAFETY: as the caller promises.
    unsafe { _xgetbv(0) }
}
