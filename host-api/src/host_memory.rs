//! Memory of the process that may be gone: the system reads it, so that a bad address is no fault.

use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::os::fd::AsRawFd;

/// Bytes that go through a pipe at once; every pipe holds as many.
const PIPED: usize = 4096;

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
    match usize::try_from(read) {
        Ok(read) => (read == length).then_some(bytes),
        Err(_) => match std::io::Error::last_os_error().kind() {
            ErrorKind::Unsupported | ErrorKind::PermissionDenied => {
                through_a_pipe(range.start, bytes)
            }
            _ => None,
        },
    }
}

/// Reads memory into `bytes` where the system has no call for that (emulators) or forbids it (some containers): what
/// a pipe takes can be read from it.
fn through_a_pipe(start: u64, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let (mut reader, writer) = std::io::pipe().ok()?;
    let mut from = start;
    for chunk in bytes.chunks_mut(PIPED) {
        // SAFETY: the system checks the source.
        let written = unsafe { libc::write(writer.as_raw_fd(), from as *const _, chunk.len()) };
        if usize::try_from(written) != Ok(chunk.len()) {
            return None;
        }
        reader.read_exact(chunk).ok()?;
        from += chunk.len() as u64;
    }
    Some(bytes)
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

    #[test]
    fn a_pipe_does_the_same() {
        let bytes: Vec<u8> = (0..3 * PIPED + 5).map(|at| at as u8).collect();
        let begin = bytes.as_ptr() as u64;
        assert_eq!(through_a_pipe(begin, vec![0; bytes.len()]), Some(bytes));
        assert_eq!(through_a_pipe(16, vec![0; 16]), None);
    }
}
