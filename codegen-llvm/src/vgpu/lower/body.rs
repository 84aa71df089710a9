//! The body of a function that replaces an intrinsic.

/// The body of a lowering: parameters are `%a0`, `%a1`, …, call sites `%site`, `%site1`.
pub struct Body {
    /// The number of call-site parameters.
    pub sites: usize,
    /// Instructions, the first in the entry block.
    pub text: String,
    /// Attributes besides `nounwind`.
    pub attributes: &'static str,
}

impl Body {
    /// A body that synchronises nothing.
    pub fn plain(text: impl Into<String>) -> Option<Body> {
        Some(Body {
            sites: 0,
            text: text.into(),
            attributes: "alwaysinline",
        })
    }

    /// The same, kept from `slp-vectorizer`, and all functions that it is inlined into: LLVM 22's makes wrong code of
    /// sums of products of bytes of which one has a sign (`u8` times `s8` in tests/tests/ptx_instructions/matrix.rs).
    pub fn without_superwords(text: impl Into<String>) -> Option<Body> {
        Some(Body {
            sites: 0,
            text: text.into(),
            attributes: "alwaysinline noimplicitfloat",
        })
    }

    /// A body that synchronises once, at `%site`.
    pub fn synchronising(text: impl Into<String>) -> Option<Body> {
        Some(Body {
            sites: 1,
            text: text.into(),
            attributes: "alwaysinline convergent",
        })
    }

    /// A body that synchronises twice, at `%site` and `%site1`.
    pub fn synchronising_twice(text: impl Into<String>) -> Option<Body> {
        Some(Body {
            sites: 2,
            text: text.into(),
            attributes: "alwaysinline convergent",
        })
    }

    /// A body that changes the rounding mode meanwhile: LLVM must not mix it with other arithmetic.
    pub fn strict(text: impl Into<String>) -> Option<Body> {
        Some(Body {
            sites: 0,
            text: text.into(),
            attributes: "noinline strictfp",
        })
    }
}

/// `%cx = …` followed by `call` and `end`.
pub fn call_with_site(call: &str, end: &str) -> String {
    format!("  %cx = call ptr @vgpu.context()\n  {call}\n  {end}\n")
}
