//! Powers with a constant exponent become products, and powers of two exponentials.
//!
//! ```text
//! double r6 = pow(r, 6.0);              // call fast double @__nv_pow(double %r, double 6.0)
//! %2 = fmul %r, %r   %4 = fmul %2, %2   %r6 = fmul %2, %4
//! ```
//!
//! LLVM does so for the C library's `pow`, but clang's headers call the device math library, whose functions LLVM does
//! not know.
//!
//! What the program allows decides (`-ffast-math`, the call's flag `afn`):
//!
//! - Always: exponents 0, 1, 2 and -1, whose results are at most half a unit in the last place off; 1/2, a square root;
//!   other whole exponents in single precision, where the product is one of doubles, rounded once at the end; and whole
//!   exponents that are integers (`pow(r, 6)` in C++), which the library multiplies, too.
//! - With the flag: whole exponents and halves between, as in `pow(r, 1.5)`.
//!
//! Two steps. clang has linked the library before it optimises, and would inline its functions first and the headers'
//! then. So [`keep`] makes them replaceable, which LLVM does not inline, and [`run`] takes that back when constants are
//! where they are used. The device link inlines what is left.
//!
//! Leaves: no such call.

use llvm_sys::LLVMLinkage::{LLVMInternalLinkage, LLVMWeakAnyLinkage};
use llvm_sys::LLVMOpcode::{LLVMFDiv, LLVMFMul, LLVMFPExt, LLVMFPTrunc};
use llvm_sys::LLVMRealPredicate::LLVMRealOEQ;
use llvm_sys::LLVMTypeKind::LLVMFloatTypeKind;

use crate::ir::{Builder, Module, Type, Value};

/// The functions: of NVIDIA's library, and of AMD's. Behind each, the exponential of its type.
const POWERS: &[[&str; 2]] = &[
    ["__nv_pow", "__nv_exp2"],
    ["__nv_powf", "__nv_exp2f"],
    ["__nv_fast_powf", "__nv_exp2f"],
    ["__ocml_pow_f64", "__ocml_exp2_f64"],
    ["__ocml_pow_f32", "__ocml_exp2_f32"],
];

/// The functions whose exponents are integers.
const WHOLE_POWERS: &[&str] = &[
    "__nv_powi",
    "__nv_powif",
    "__ocml_pown_f64",
    "__ocml_pown_f32",
];

/// The largest exponent that becomes a product.
const MOST: f64 = 32.0;

/// What marks a function whose calls are kept.
const MARK: &str = "omptarget-power";

/// The names of all the functions.
fn names() -> impl Iterator<Item = &'static str> {
    let powers = POWERS.iter().map(|[name, _]| *name);
    powers.chain(WHOLE_POWERS.iter().copied())
}

/// The step before the unit is optimised: calls stay as they are.
pub fn keep(module: &Module) {
    for function in names().filter_map(|name| module.function(name)) {
        if function.linkage() == LLVMInternalLinkage && !function.is_declaration() {
            function.set_linkage(LLVMWeakAnyLinkage);
            function.set_text_attribute(module.context, MARK, "");
        }
    }
}

/// The step after that.
pub fn run(module: &Module) {
    replace_calls(module);
    for function in names().filter_map(|name| module.function(name)) {
        if function.text_attribute(MARK).is_some() {
            function.remove_text_attribute(MARK);
            function.set_linkage(LLVMInternalLinkage);
        }
    }
}

fn replace_calls(module: &Module) {
    for [name, exponential] in POWERS {
        for call in calls(module, name) {
            let power = Power::new(module, call);
            let exponent = call.arguments()[1].as_real();
            let replacement = match exponent.and_then(|exponent| power.of(exponent)) {
                None if call.arguments()[0].as_real() == Some(2.0) => {
                    let ty = Type::function(call.ty(), &[call.ty()]);
                    let exponential = module.declare(exponential, ty);
                    Some(
                        power
                            .builder
                            .call_function(exponential, &call.arguments()[1..]),
                    )
                }
                found => found,
            };
            replace(call, replacement);
        }
    }
    for name in WHOLE_POWERS {
        for call in calls(module, name) {
            let exponent = call.arguments()[1].as_signed_int();
            let power = Power::new(module, call);
            let whole = |exponent: i64| power.whole(exponent as f64, true);
            replace(call, exponent.and_then(whole));
        }
    }
}

fn calls(module: &Module, name: &str) -> Vec<Value> {
    let Some(function) = module.function(name) else {
        return Vec::new();
    };
    let mut calls = function.users();
    calls.retain(|user| user.called_function() == Some(function));
    calls
}

fn replace(call: Value, replacement: Option<Value>) {
    if let Some(replacement) = replacement {
        // SAFETY: a call uses the function that it calls once, so the caller's list has it once.
        unsafe { call.replace_with(replacement) };
    }
}

/// A call of a power.
struct Power<'a> {
    module: &'a Module,
    builder: Builder,
    call: Value,
    base: Value,
    /// Whether approximations will do.
    loose: bool,
}

impl Power<'_> {
    fn new(module: &Module, call: Value) -> Power<'_> {
        Power {
            module,
            builder: Builder::before(module.context, call),
            call,
            base: call.arguments()[0],
            loose: call.may_be_approximate(),
        }
    }

    /// The power with this exponent, if that is a product.
    fn of(&self, exponent: f64) -> Option<Value> {
        if exponent.fract() == 0.0 {
            return self.whole(exponent, self.loose);
        }
        let below = exponent - 0.5;
        match below.fract() == 0.0 && exponent.abs() <= MOST {
            true if exponent == 0.5 => Some(self.root()),
            true if self.loose => {
                let root = self.square_root(self.base);
                let positive = exponent.abs() - 0.5;
                let product = match positive == 0.0 {
                    true => root,
                    false => self.multiply(self.product(self.base, positive as u32), root),
                };
                Some(self.inverse_if(exponent < 0.0, product))
            }
            _ => None,
        }
    }

    /// The power with a whole exponent. If not `plainly`, only where a product is as exact as the library.
    fn whole(&self, exponent: f64, plainly: bool) -> Option<Value> {
        let ty = self.base.ty();
        if exponent == 0.0 {
            return Some(Value::real(ty, 1.0));
        }
        if exponent.abs() > MOST {
            return None;
        }
        let times = exponent.abs() as u32;
        let is_exact = times == 1 || exponent == 2.0;
        if ty.kind() == LLVMFloatTypeKind && !is_exact && !self.loose {
            let double = Type::double(self.module.context);
            let wide = self.builder.cast(LLVMFPExt, self.base, double);
            let product = self.inverse_if(exponent < 0.0, self.product(wide, times));
            return Some(self.builder.cast(LLVMFPTrunc, product, ty));
        }
        let product = || self.inverse_if(exponent < 0.0, self.product(self.base, times));
        (is_exact || plainly).then(product)
    }

    /// A square root that is that of a power: of -0 it is 0, of the negative infinity the positive one.
    fn root(&self) -> Value {
        let ty = self.base.ty();
        let root = self.square_root(self.base);
        let absolute = self.module.intrinsic("llvm.fabs", &[ty]);
        let root = self.flagged(self.builder.call_function(absolute, &[root]));
        let infinity = |sign: f64| Value::real(ty, sign * f64::INFINITY);
        let is_least = self
            .builder
            .compare_floats(LLVMRealOEQ, self.base, infinity(-1.0));
        self.builder.select(is_least, infinity(1.0), root)
    }

    fn square_root(&self, of: Value) -> Value {
        let root = self.module.intrinsic("llvm.sqrt", &[of.ty()]);
        self.flagged(self.builder.call_function(root, &[of]))
    }

    /// The product of a number with itself, `times` times: as many multiplications as the exponent has bits, and ones.
    fn product(&self, base: Value, times: u32) -> Value {
        let (mut product, mut square, mut left) = (None, base, times);
        loop {
            if left & 1 != 0 {
                product = Some(match product {
                    Some(product) => self.multiply(product, square),
                    None => square,
                });
            }
            left >>= 1;
            if left == 0 {
                return product.unwrap_or(square);
            }
            square = self.multiply(square, square);
        }
    }

    fn multiply(&self, left: Value, right: Value) -> Value {
        self.flagged(self.builder.binary(LLVMFMul, left, right))
    }

    fn inverse_if(&self, inverse: bool, value: Value) -> Value {
        let one = Value::real(value.ty(), 1.0);
        match inverse {
            true => self.flagged(self.builder.binary(LLVMFDiv, one, value)),
            false => value,
        }
    }

    fn flagged(&self, value: Value) -> Value {
        value.take_fast_math(self.call);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    /// What becomes of a call of `function` with an exponent.
    fn made(function: &str, ty: &str, flags: &str, exponent: &str) -> String {
        let second = exponent.split(' ').next().unwrap_or_default();
        let text = format!(
            "declare {ty} @{function}({ty}, {second})\ndefine {ty} @f({ty} %x) {{\n\
             %r = call {flags} {ty} @{function}({ty} %x, {exponent})\n ret {ty} %r\n}}"
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        run(&module);
        module.function("f").unwrap().print()
    }

    #[test]
    fn squares_and_inverses_are_exact() {
        let printed = made("__nv_pow", "double", "", "double 2.0");
        assert!(printed.contains("fmul double %x, %x"), "{printed}");
        let printed = made("__ocml_pow_f32", "float", "", "float -1.0");
        assert!(printed.contains("fdiv float 1.000000e+00, %x"), "{printed}");
        let printed = made("__nv_pow", "double", "", "double 0.0");
        assert!(printed.contains("ret double 1.000000e+00"), "{printed}");
    }

    #[test]
    fn other_exponents_need_permission_in_double_precision() {
        let printed = made("__nv_pow", "double", "", "double 6.0");
        assert!(printed.contains("@__nv_pow"), "{printed}");
        let printed = made("__nv_pow", "double", "fast", "double 6.0");
        assert_eq!(printed.matches("fmul fast double").count(), 3, "{printed}");
        let printed = made("__nv_powi", "double", "", "i32 6");
        assert_eq!(printed.matches("fmul double").count(), 3, "{printed}");
    }

    #[test]
    fn single_precision_rounds_once() {
        let printed = made("__nv_powf", "float", "", "float -3.0");
        assert!(printed.contains("fpext float %x to double"), "{printed}");
        assert_eq!(printed.matches("fmul double").count(), 2, "{printed}");
        assert!(printed.contains("fdiv double 1.000000e+00"), "{printed}");
        assert!(printed.contains("fptrunc double"), "{printed}");
    }

    #[test]
    fn halves_are_roots() {
        let printed = made("__nv_powf", "float", "", "float 0.5");
        assert!(printed.contains("@llvm.sqrt.f32"), "{printed}");
        assert!(printed.contains("0xFFF0000000000000"), "{printed}");
        let printed = made("__nv_pow", "double", "", "double 1.5");
        assert!(printed.contains("@__nv_pow"), "{printed}");
        let printed = made("__nv_pow", "double", "afn", "double -1.5");
        assert!(printed.contains("@llvm.sqrt.f64"), "{printed}");
        assert!(
            printed.contains("fdiv afn double 1.000000e+00"),
            "{printed}"
        );
    }

    #[test]
    fn the_library_is_replaceable_meanwhile() {
        let text = "define internal double @__nv_pow(double %x, double %y) {\n ret double %x\n}\n\
                    define double @f(double %x) {\n\
                    %r = call double @__nv_pow(double %x, double 1.5)\n ret double %r\n}";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        let before = module.print();
        keep(&module);
        assert!(module.print().contains("define weak "));
        run(&module);
        assert_eq!(module.print(), before);
    }

    #[test]
    fn powers_of_two_are_exponentials() {
        let text = "declare double @__nv_pow(double, double)\ndefine double @f(double %x) {\n\
                    %r = call double @__nv_pow(double 2.0, double %x)\n ret double %r\n}";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(&module);
        let printed = module.function("f").unwrap().print();
        assert!(
            printed.contains("call double @__nv_exp2(double %x)"),
            "{printed}"
        );
    }
}
