//! Calling an outlined region with as many arguments as it has captured variables.

use core::ffi::c_void;

/// An outlined region: `.global_tid.`, `.bound_tid.`, then one pointer-sized argument per captured
/// variable, as its real type has it.
pub type Outlined = *const c_void;

macro_rules! pointer {
    ($token:tt) => {
        *mut c_void
    };
}

/// Calls with exactly the arguments listed: `@exact (function thread bound arguments); indices`.
macro_rules! call {
    ($function:ident $thread:ident $bound:ident; $argument:expr; $($i:literal)*) => {{
        type Exact = unsafe extern "C" fn(*mut i32, *mut i32 $(, pointer!($i))*);
        let exact: Exact = core::mem::transmute::<Outlined, Exact>($function);
        exact($thread, $bound $(, $argument($i))*)
    }};
}

/// `if count == n { call with n arguments; return }` for every `n` of the list.
macro_rules! exactly {
    ($names:tt; [$($done:literal)*]; $next:literal $($rest:literal)*) => {
        exactly!(@one $names; $next; $($done)*);
        exactly!($names; [$($done)* $next]; $($rest)*)
    };
    ($names:tt; [$($done:literal)*];) => {};
    (@one ($function:ident $thread:ident $bound:ident $arguments:ident $count:ident); $n:literal; $($i:literal)*) => {
        if $count == $n {
            // SAFETY: the caller says the function takes that many, and that they are there.
            return unsafe { call!($function $thread $bound; |i: usize| *$arguments.add(i); $($i)*) };
        }
    };
}

/// Calls `function` with `count` arguments.
///
/// Every count up to 32 has a call of its own: a compiler that knows the count keeps one of them and inlines it.
///
/// # Safety
/// `function` is a region that takes `count` captured variables; `arguments` points at them.
#[inline(always)]
pub unsafe fn invoke(
    function: Outlined,
    thread: &mut i32,
    bound: &mut i32,
    arguments: *mut *mut c_void,
    count: usize,
) {
    exactly!((function thread bound arguments count); [];
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
    // SAFETY: the caller's promise.
    unsafe {
        if count <= 128 {
            invoke_many(function, thread, bound, arguments, count)
        } else {
            invoke_most(function, thread, bound, arguments, count)
        }
    }
}

/// Regions with more variables than that. One call for each count would make code that grows with the square of the
/// number, in every compilation. So a few calls pass more arguments than the function takes, null for those that do not
/// exist. C calling conventions, also those of the GPUs, let a callee ignore arguments after its own, and a compiler
/// that knows the callee drops them.
#[cold]
#[inline(never)]
unsafe fn invoke_many(
    function: Outlined,
    thread: &mut i32,
    bound: &mut i32,
    arguments: *mut *mut c_void,
    count: usize,
) {
    // SAFETY: `count` is above 32; of the rest only existing arguments are read. The function takes `count` of those
    // passed.
    unsafe {
        let argument = |i: usize| {
            if i <= 32 || i < count {
                *arguments.add(i)
            } else {
                core::ptr::null_mut()
            }
        };
        if count <= 48 {
            call!(function thread bound; argument;
                0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
                26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47)
        } else if count <= 80 {
            call!(function thread bound; argument;
                0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
                26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51
                52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77
                78 79)
        } else {
            call!(function thread bound; argument;
                0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
                26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51
                52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77
                78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103
                104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127)
        }
    }
}

/// The most variables that a region may capture where no state machine runs it. PTX itself has no such limit,
/// but ptxas runs out of memory somewhere below 5,000 parameters.
const MOST: usize = 512;

/// Calls with twice as many arguments again and again: one argument per token of the list, each the next one's value.
macro_rules! call_doubled {
    ($names:tt; [$($token:tt)*]) => { call_next!($names; $($token)* $($token)*) };
    ($names:tt; [$($token:tt)*] $half:tt $($more:tt)*) => {
        call_doubled!($names; [$($token)* $($token)*] $($more)*)
    };
}

macro_rules! call_next {
    (($function:ident $thread:ident $bound:ident $next:ident); $($token:tt)*) => {{
        type Exact = unsafe extern "C" fn(*mut i32, *mut i32 $(, pointer!($token))*);
        let exact: Exact = core::mem::transmute::<Outlined, Exact>($function);
        exact($thread, $bound $(, { let _ = $token; $next() })*)
    }};
}

/// Regions with yet more variables: [`MOST`] arguments, the last one again and again. It is a function of its own, so
/// that kernels whose regions capture fewer do not pay for it. It is exported so that `scripts/build-device` can keep
/// optimisers from looking at it in every program's link.
#[cold]
#[inline(never)]
#[unsafe(export_name = "omptarget_invoke_most")]
unsafe fn invoke_most(
    function: Outlined,
    thread: &mut i32,
    bound: &mut i32,
    arguments: *mut *mut c_void,
    count: usize,
) {
    if count > MOST {
        crate::arch::trap(
            c"a parallel region that runs without a state machine captures more than 512 variables: nested in \
              another region, in an SPMD kernel, or run by one thread; put variables into a structure or an array",
        );
    }
    let mut passed = 0;
    let mut next = || {
        let index = usize::min(passed, count - 1);
        passed += 1;
        // SAFETY: `count` is above 128, and there are as many.
        unsafe { *arguments.add(index) }
    };
    // SAFETY: the function takes `count` of the arguments passed.
    unsafe { call_doubled!((function thread bound next); [0 0 0 0 0 0 0 0] x x x x x) }
}
