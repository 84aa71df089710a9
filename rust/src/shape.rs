//! The shape of a launch.

/// How many blocks of how many threads run a kernel, and how much dynamic shared memory each block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks, in three dimensions.
    pub grid: [u32; 3],
    /// Threads of a block, in three dimensions.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub dynamic_shared: u32,
}

impl Shape {
    /// `blocks` blocks of `threads` threads in one dimension.
    pub const fn linear(blocks: u32, threads: u32) -> Shape {
        Shape {
            grid: [blocks, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared: 0,
        }
    }

    /// A thread for each of `elements`, in blocks of `threads` threads; one block if there are none. The last block may
    /// have threads without an element.
    ///
    /// More blocks than a launch can have become as many as it can name, which no device takes.
    pub fn covering(elements: usize, threads: u32) -> Shape {
        let blocks = elements.div_ceil(threads.max(1) as usize).max(1);
        Shape::linear(u32::try_from(blocks).unwrap_or(u32::MAX), threads)
    }

    /// The same with so many bytes of dynamic shared memory.
    pub const fn with_dynamic_shared(self, bytes: u32) -> Shape {
        Shape {
            dynamic_shared: bytes,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shape;

    #[test]
    fn covers_every_element() {
        assert_eq!(Shape::covering(1000, 256), Shape::linear(4, 256));
        assert_eq!(Shape::covering(1024, 256), Shape::linear(4, 256));
        assert_eq!(Shape::covering(0, 32), Shape::linear(1, 32));
        assert_eq!(Shape::covering(5, 0).block, [0, 1, 1]);
        assert_eq!(Shape::covering(usize::MAX, 1).grid, [u32::MAX, 1, 1]);
    }
}
