//! Arguments of kernels, as words.

use std::sync::Arc;

use bytemuck::{NoUninit, Pod};

use crate::Buffer;
use crate::allocation::Allocation;

/// What a call collects of its arguments.
#[derive(Default)]
pub struct Words {
    pub(crate) words: Vec<u64>,
    pub(crate) sizes: Vec<u32>,
    pub(crate) memory: Vec<Arc<Allocation>>,
}

impl Words {
    /// A parameter with these bytes, in as many words as it needs.
    fn push(&mut self, bytes: &[u8]) {
        self.sizes.push(bytes.len() as u32);
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.words.push(u64::from_le_bytes(word));
        }
    }
}

mod sealed {
    /// Only this crate knows how arguments become words.
    pub trait Sealed {}
}

/// An argument of a kernel: a number, a [`Buffer`], which the kernel gets as a pointer to its elements, or a
/// [`Value`].
pub trait Argument: sealed::Sealed {
    /// Its size as a parameter.
    const SIZE: u32;

    /// The same type, borrowed for `'a`: as long as the call.
    type Borrowed<'a>: Argument;

    /// Adds it to a call.
    #[doc(hidden)]
    fn add_to(&self, words: &mut Words);
}

/// A structure that the kernel gets by value. Both sides declare it `#[repr(C)]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<T: NoUninit>(pub T);

macro_rules! numbers {
    ($($type:ty)*) => {
        $(
            impl sealed::Sealed for $type {}

            impl Argument for $type {
                const SIZE: u32 = size_of::<$type>() as u32;

                type Borrowed<'a> = $type;

                fn add_to(&self, words: &mut Words) {
                    words.push(&self.to_le_bytes());
                }
            }
        )*
    };
}

numbers! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64 }

impl<T: NoUninit> sealed::Sealed for Value<T> {}

impl<T: NoUninit> Argument for Value<T> {
    const SIZE: u32 = size_of::<T>() as u32;

    type Borrowed<'a> = Value<T>;

    fn add_to(&self, words: &mut Words) {
        words.push(bytemuck::bytes_of(&self.0));
    }
}

impl<T: Pod> sealed::Sealed for &Buffer<T> {}

impl<T: Pod> Argument for &Buffer<T> {
    const SIZE: u32 = 8;

    type Borrowed<'a> = &'a Buffer<T>;

    fn add_to(&self, words: &mut Words) {
        words.push(&self.address().to_le_bytes());
        words.memory.push(self.memory.clone());
    }
}

impl<T: Pod> sealed::Sealed for &mut Buffer<T> {}

impl<T: Pod> Argument for &mut Buffer<T> {
    const SIZE: u32 = 8;

    type Borrowed<'a> = &'a mut Buffer<T>;

    fn add_to(&self, words: &mut Words) {
        words.push(&self.address().to_le_bytes());
        words.memory.push(self.memory.clone());
    }
}

/// The arguments of a call: a tuple of up to 16.
pub trait Arguments: sealed::Sealed {
    /// Adds them to a call.
    #[doc(hidden)]
    fn add_to(&self, words: &mut Words);
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Argument),*> sealed::Sealed for ($($name,)*) {}

        impl<$($name: Argument),*> Arguments for ($($name,)*) {
            #[allow(non_snake_case, unused_variables)]
            fn add_to(&self, words: &mut Words) {
                let ($($name,)*) = self;
                $($name.add_to(words);)*
            }
        }
    };
}

/// Implements [`Arguments`] for tuples of all these and of all but the first.
macro_rules! shorter_tuples {
    () => { tuples! {} };
    ($first:ident $($rest:ident)*) => {
        tuples! { $first $($rest)* }
        shorter_tuples! { $($rest)* }
    };
}

shorter_tuples! { A B C D E F G H I J K L M N O P }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_words() {
        let mut words = Words::default();
        let value = Value([1.0f32, 2.0, 3.0]);
        (7u8, -1i32, 0.5f64, value, -2i64).add_to(&mut words);
        assert_eq!(words.sizes, [1, 4, 8, 12, 8]);
        let floats = u64::from(1f32.to_bits()) | u64::from(2f32.to_bits()) << 32;
        let expected = [
            7,
            0xffff_ffff,
            0.5f64.to_bits(),
            floats,
            u64::from(3f32.to_bits()),
            -2i64 as u64,
        ];
        assert_eq!(words.words, expected);
        assert_eq!(<(u8, &Buffer<f32>) as SizesOf>::SIZES, [1, 8]);
    }

    trait SizesOf {
        const SIZES: [u32; 2];
    }

    impl<A: Argument, B: Argument> SizesOf for (A, B) {
        const SIZES: [u32; 2] = [A::SIZE, B::SIZE];
    }
}
