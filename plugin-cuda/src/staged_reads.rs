//! Small copies to the host through pinned memory.
//!
//! The driver copies to memory that is not pinned only when everything before is complete, and the calling thread waits
//! for it inside of the call, and once more when it synchronises. For a scalar that is a fifth of an empty region's
//! time. So the device copies to pinned memory, and the bytes go on to where they belong when the stream has passed the
//! copy.

/// The largest copy that goes this way, bytes. Copying larger ones a second time would take longer than it saves.
pub const LARGEST: usize = 4 << 10;

/// Copies to the host of which the last step is still to be done.
#[derive(Default)]
pub struct StagedReads(Vec<StagedRead>);

/// One of them.
struct StagedRead {
    /// The copy's number among the stream's operations.
    operation: u64,
    from: *const u8,
    to: *mut u8,
    len: usize,
}

// SAFETY: the stream alone uses the pinned memory, and whoever enqueued the copy leaves its destination to the stream.
unsafe impl Send for StagedRead {}

impl StagedReads {
    /// Adds a copy that is enqueued as operation number `operation`.
    ///
    /// # Safety
    /// `from` is readable and `to` writable for `len` bytes until [`StagedReads::deliver`] has been told of the
    /// operation, or [`StagedReads::clear`] was called.
    pub unsafe fn add(&mut self, operation: u64, from: *const u8, to: *mut u8, len: usize) {
        self.0.push(StagedRead {
            operation,
            from,
            to,
            len,
        });
    }

    /// Copies what has arrived: the stream has passed its first `complete` operations.
    pub fn deliver(&mut self, complete: u64) {
        self.0.retain(|read| {
            let has_arrived = read.operation <= complete;
            if has_arrived {
                // SAFETY: both are valid (caller of `add`). Pinned memory of the stream's overlaps nobody else's.
                unsafe { std::ptr::copy_nonoverlapping(read.from, read.to, read.len) };
            }
            !has_arrived
        });
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether there are any among the stream's first `operations`.
    pub fn are_due(&self, operations: u64) -> bool {
        self.0.iter().any(|read| read.operation <= operations)
    }

    /// Forgets them: the stream has failed.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_arrive_when_their_copy_is_complete() {
        let (from, mut to) = ([1u8, 2, 3, 4], [0u8; 4]);
        let start = to.as_mut_ptr();
        let mut reads = StagedReads::default();
        // SAFETY: the arrays live longer than the reads.
        unsafe {
            reads.add(3, from.as_ptr(), start, 2);
            reads.add(5, from.as_ptr().add(2), start.add(2), 2);
        }
        // SAFETY: `to` is alive.
        let arrived = || unsafe { start.cast::<[u8; 4]>().read() };
        reads.deliver(2);
        assert_eq!(arrived(), [0; 4]);
        assert!(!reads.are_due(2) && reads.are_due(3));
        reads.deliver(4);
        assert_eq!(arrived(), [1, 2, 0, 0]);
        assert!(!reads.is_empty());
        reads.deliver(5);
        assert_eq!(arrived(), from);
        assert!(reads.is_empty());
    }

    #[test]
    fn a_failed_stream_delivers_nothing() {
        let (from, mut to) = ([1u8; 4], [0u8; 4]);
        let mut reads = StagedReads::default();
        // SAFETY: the arrays live longer than the reads.
        unsafe { reads.add(1, from.as_ptr(), to.as_mut_ptr(), 4) };
        reads.clear();
        reads.deliver(1);
        assert_eq!(to, [0; 4]);
    }
}
