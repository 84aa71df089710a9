//! Memory of the process that may be gone: the system reads it, so that a bad address is no fault.

use std::ops::Range;

/// Host memory, or nothing where the program has freed it.
pub fn host_bytes(range: &Range<u64>) -> Option<Vec<u8>> {
    let length = (range.end - range.start) as usize;
    let mut bytes = vec![0u8; length];
    let local = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: length,
    };
    let remote = libc::iovec {
        iov_base: range.start as *mut libc::c_void,
        iov_len: length,
    };
    // SAFETY: the system checks the source, and the destination is `length` bytes of our own.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    (usize::try_from(read) == Ok(length)).then_some(bytes)
}

/// Whether the process has memory at an address.
pub fn is_host_memory(address: u64) -> bool {
    host_bytes(&(address..address.saturating_add(1))).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_memory_that_is_gone_gives_nothing() {
        let bytes = [1u8, 2, 3];
        let begin = bytes.as_ptr() as u64;
        assert_eq!(host_bytes(&(begin..begin + 3)), Some(vec![1, 2, 3]));
        assert_eq!(host_bytes(&(16..32)), None);
        assert!(is_host_memory(begin) && !is_host_memory(16));
    }
}
