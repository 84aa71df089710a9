//! A kernel's arguments, as they lie in memory.

use crate::memory::memory;
use crate::metadata::{Argument, KernelMetadata};
use crate::packet::Dispatch;

/// The explicit arguments as words, each padded with zeros.
pub fn words(kernel: &KernelMetadata, bytes: &[u8]) -> Vec<u64> {
    let explicit = explicit(kernel);
    let padded = explicit.map(|argument| {
        let mut padded = bytes[argument.offset..][..argument.size].to_vec();
        padded.resize(argument.size.next_multiple_of(8), 0);
        padded
    });
    let bytes: Vec<u8> = padded.flatten().collect();
    let words = bytes.chunks_exact(8);
    words
        .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
        .collect()
}

fn explicit(kernel: &KernelMetadata) -> impl Iterator<Item = &Argument> {
    let is_explicit = |argument: &&Argument| !argument.kind.starts_with("hidden_");
    kernel.arguments.iter().filter(is_explicit)
}

/// An argument that points to memory which the agent has no access to: the kernel's access to it would be a fault.
pub fn inaccessible(words: &[u64], agent: usize) -> Option<u64> {
    let mut memory = memory();
    let mut forbidden = |address: u64| {
        let block = memory.enclosing(address, 1);
        block.is_some_and(|block| !block.access.contains(&agent))
    };
    words.iter().copied().find(|&word| forbidden(word))
}

/// Checks the hidden arguments ("AMDGPU Usage", "Code Object V5 Metadata") against the packet.
pub fn check_hidden(
    kernel: &KernelMetadata,
    bytes: &[u8],
    packet: &Dispatch,
) -> Result<(), String> {
    for argument in &kernel.arguments {
        let Some(kind) = argument.kind.strip_prefix("hidden_") else {
            continue;
        };
        let expected = expected(kind, kernel, packet);
        let mut word = [0; 8];
        word[..argument.size].copy_from_slice(&bytes[argument.offset..][..argument.size]);
        let found = u64::from_le_bytes(word);
        if expected.is_some_and(|expected| expected != found) {
            let expected = expected.unwrap_or_default();
            return Err(format!(
                "its argument hidden_{kind} is {found}, not {expected}"
            ));
        }
    }
    Ok(())
}

/// What a hidden argument must be. `None`: nothing is demanded.
fn expected(kind: &str, kernel: &KernelMetadata, packet: &Dispatch) -> Option<u64> {
    let dimension = match kind.chars().last() {
        Some('x') => 0,
        Some('y') => 1,
        _ => 2,
    };
    let (items, grid) = (packet.workgroup[dimension], packet.grid[dimension]);
    match kind.trim_end_matches(['x', 'y', 'z']) {
        "block_count_" => Some((grid / items).into()),
        "group_size_" => Some(items.into()),
        // Grids are multiples of their groups here.
        "remainder_" | "global_offset_" => Some(0),
        "grid_dims" => Some(packet.dimensions.into()),
        "dynamic_lds_size" => Some((packet.group - kernel.group_size).into()),
        // Services that the plugin does not have.
        "hostcall_buffer" | "printf_buffer" | "multigrid_sync_arg" | "heap_v1"
        | "default_queue" | "completion_action" => Some(0),
        _ => None,
    }
}
