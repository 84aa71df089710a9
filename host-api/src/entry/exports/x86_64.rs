//! An exported symbol on x86-64.

/// Defines the symbol `$function`, which jumps to the function of that name in `$module`.
macro_rules! jump {
    ($module:ident, $function:ident) => {
        std::arch::global_asm!(
            concat!(".pushsection .text.", stringify!($function), ",\"ax\",@progbits"),
            concat!(".globl ", stringify!($function)),
            concat!(".type ", stringify!($function), ", @function"),
            concat!(stringify!($function), ":"),
            "cmp byte ptr [rip + {notes}], 0",
            "jne 2f",
            "jmp {target}",
            // The arguments in registers survive the call; what lies on the stack stays where it is.
            "2:",
            "push rdi",
            "push rsi",
            "push rdx",
            "push rcx",
            "push r8",
            "push r9",
            "sub rsp, 8",
            "mov rdi, [rsp + 56]",
            "call {note_caller}",
            "add rsp, 8",
            "pop r9",
            "pop r8",
            "pop rcx",
            "pop rdx",
            "pop rsi",
            "pop rdi",
            "jmp {target}",
            concat!(".size ", stringify!($function), ", . - ", stringify!($function)),
            ".popsection",
            target = sym crate::entry::$module::$function,
            notes = sym crate::ompt::NOTES_CALLERS,
            note_caller = sym crate::ompt::note_caller,
        );
    };
}
