//! An exported symbol on 64-bit ARM.

/// Defines the symbol `$function`, which jumps to the function of that name in `$module`.
macro_rules! jump {
    ($module:ident, $function:ident) => {
        std::arch::global_asm!(
            concat!(".pushsection .text.", stringify!($function), ",\"ax\",@progbits"),
            ".balign 4",
            concat!(".globl ", stringify!($function)),
            concat!(".type ", stringify!($function), ", @function"),
            concat!(stringify!($function), ":"),
            "adrp x16, {notes}",
            "ldrb w16, [x16, :lo12:{notes}]",
            "cbnz w16, 2f",
            "b {target}",
            // The arguments in registers survive the call; what lies on the stack stays where it is.
            "2:",
            "stp x29, x30, [sp, #-80]!",
            "stp x0, x1, [sp, #16]",
            "stp x2, x3, [sp, #32]",
            "stp x4, x5, [sp, #48]",
            "stp x6, x7, [sp, #64]",
            "mov x29, sp",
            "mov x0, x30",
            "bl {note_caller}",
            "ldp x6, x7, [sp, #64]",
            "ldp x4, x5, [sp, #48]",
            "ldp x2, x3, [sp, #32]",
            "ldp x0, x1, [sp, #16]",
            "ldp x29, x30, [sp], #80",
            "b {target}",
            concat!(".size ", stringify!($function), ", . - ", stringify!($function)),
            ".popsection",
            target = sym crate::entry::$module::$function,
            notes = sym crate::ompt::NOTES_CALLERS,
            note_caller = sym crate::ompt::note_caller,
        );
    };
}
