//! Keeps prologues at the beginning of functions.
//!
//! On x86-64, LLVM 22 probes the pages of a large frame with r11 as its counter, also in a prologue that
//! shrink-wrapping has moved behind the function's first branches. There, r11 may hold a value. In a warp form that
//! returned early for some arguments, the code for the others computed with the stack's address in its place.

use std::sync::Once;

use crate::ir::set_llvm_options;

/// Turns shrink-wrapping off: at the beginning of a function r11 is free.
pub fn keep_at_the_beginning() {
    static DONE: Once = Once::new();
    DONE.call_once(|| set_llvm_options(&["-enable-shrink-wrap=false"]));
}

#[cfg(test)]
mod tests {
    use crate::ir::{Context, Machine, MachineOptions, Module};
    use crate::vgpu::Architecture;

    /// r11 gets a value, the function may return, a large frame begins, r11 is used.
    const TEXT: &str = r#"
define i64 @f(i64 %a) nounwind "probe-stack"="inline-asm" {
entry:
  %large = alloca [100000 x i8], align 64
  %value = call i64 asm "movq $$305419896, %r11", "={r11}"()
  %early = icmp eq i64 %a, 0
  br i1 %early, label %out, label %on
on:
  call void asm sideeffect "", "r,~{memory}"(ptr %large)
  %used = call i64 asm "", "=r,{r11}"(i64 %value)
  ret i64 %used
out:
  ret i64 0
}
"#;

    #[test]
    fn the_stack_is_probed_before_anything_else() {
        super::keep_at_the_beginning();
        Architecture::X86_64.initialise();
        let machine = Machine::new(&MachineOptions {
            triple: Architecture::X86_64.triple(),
            cpu: "x86-64",
            features: "",
            level: 2,
        })
        .unwrap();
        let module = Module::parse(Context::new(), TEXT, "a test").unwrap();
        module.set_layout(&machine.layout());
        let object = machine.emit_object(&module).unwrap();
        let find = |code: &[u8]| object.windows(code.len()).position(|bytes| bytes == code);
        // lea -N(%rsp), %r11 or movq %rsp, %r11
        let probes = find(&[0x4c, 0x8d, 0x9c, 0x24]).or(find(&[0x49, 0x89, 0xe3]));
        let value = find(&[0x49, 0xc7, 0xc3, 0x78, 0x56, 0x34, 0x12]);
        assert!(probes.expect("a loop over pages") < value.expect("a value in r11"));
    }
}
