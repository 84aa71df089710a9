//! Calls of device math for LLVM's mathematical intrinsics.
//!
//! GPUs' back ends have no code for most of them, and end the process. A program gets them from `__builtin_log2`, from
//! `__builtin_elementwise_sin` and from clang's `scan`. Each becomes a function that calls the device math library;
//! vectors call it element by element, half precision in single precision. What a back end computes well itself stays.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use llvm_sys::LLVMTypeKind::{LLVMStructTypeKind, LLVMVectorTypeKind};

use super::runtime;
use crate::ir::{Machine, Module, Type, Value};

/// How an intrinsic is computed.
#[derive(Clone, Copy)]
enum Formula {
    /// By a function with the same arguments.
    Call(Names),
    /// By a function of this argument whose result is a 64-bit integer.
    Integer(Names),
    /// Two results of one argument.
    Pair(Names, Names),
    /// The parts behind and before the decimal point.
    Parts,
}
use Formula::{Call, Integer, Pair, Parts};

/// The name in NVIDIA's library, and the one in AMD's between `__ocml_` and `_f64`.
type Names = [&'static str; 2];

/// A line of the table.
struct Line {
    /// The intrinsic's name between `llvm.` and its type.
    intrinsic: &'static str,
    formula: Formula,
    /// Makers of GPUs whose back end computes it well in single and half precision.
    single: &'static [Maker],
    /// Makers of GPUs whose back end has it in double precision, too.
    double: &'static [Maker],
}

/// A maker of GPUs, by its column of [`Names`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Maker {
    Nvidia,
    Amd,
}
use Maker::{Amd, Nvidia};

const fn line(intrinsic: &'static str, formula: Formula, single: &'static [Maker]) -> Line {
    Line {
        intrinsic,
        formula,
        single,
        double: &[],
    }
}

const fn rounding(intrinsic: &'static str, name: &'static str) -> Line {
    Line {
        intrinsic,
        formula: Integer([name, ""]),
        single: &[Amd],
        double: &[Amd],
    }
}

/// Every intrinsic that a back end lacks, or approximates too coarsely.
const INTRINSICS: &[Line] = &[
    line("acos", Call(["acos"; 2]), &[]),
    line("asin", Call(["asin"; 2]), &[]),
    line("atan", Call(["atan"; 2]), &[]),
    line("atan2", Call(["atan2"; 2]), &[]),
    line("cos", Call(["cos"; 2]), &[]),
    line("cosh", Call(["cosh"; 2]), &[]),
    line("exp", Call(["exp"; 2]), &[Amd]),
    line("exp10", Call(["exp10"; 2]), &[Amd]),
    line("exp2", Call(["exp2"; 2]), &[Nvidia, Amd]),
    line("log", Call(["log"; 2]), &[Amd]),
    line("log10", Call(["log10"; 2]), &[Amd]),
    line("log2", Call(["log2"; 2]), &[Amd]),
    line("modf", Parts, &[]),
    line("pow", Call(["pow"; 2]), &[]),
    line("powi", Call(["powi", "pown"]), &[]),
    line("sin", Call(["sin"; 2]), &[]),
    line("sincos", Pair(["sin"; 2], ["cos"; 2]), &[]),
    line("sincospi", Pair(["sinpi"; 2], ["cospi"; 2]), &[]),
    line("sinh", Call(["sinh"; 2]), &[]),
    line("tan", Call(["tan"; 2]), &[]),
    line("tanh", Call(["tanh"; 2]), &[]),
    rounding("llrint", "llrint"),
    rounding("llround", "llround"),
    rounding("lrint", "llrint"),
    rounding("lround", "llround"),
];

/// Replaces the intrinsics that the module's back end cannot compute, and links the device math library for them.
pub fn run(module: &Module, machine: &Machine) -> Result<()> {
    if replace(module, &machine.layout())? {
        runtime::link_math(module, machine)?;
    }
    Ok(())
}

/// Replaces them. Tells whether there were any.
fn replace(module: &Module, layout: &str) -> Result<bool> {
    let maker = match module.triple().starts_with("nvptx64") {
        true => Nvidia,
        false => Amd,
    };
    let mut definitions = Definitions {
        maker,
        functions: BTreeMap::new(),
        declarations: BTreeSet::new(),
    };
    let mut replaced = Vec::new();
    for function in module.functions() {
        let Some(line) = lacking(function, maker) else {
            continue;
        };
        let ty = function.value_type();
        replaced.push((function, definitions.add(line, &Signature::of(ty)?)));
    }
    if replaced.is_empty() {
        return Ok(false);
    }
    let library = Module::parse(module.context, &definitions.text(), "math intrinsics")?;
    library.set_triple(&module.triple());
    library.set_layout(layout);
    module.link(library)?;
    for name in definitions.functions.keys() {
        let function = module.function(name);
        let function = function.expect("it was linked a moment ago");
        function.set_linkage(LLVMInternalLinkage);
    }
    for (intrinsic, name) in replaced {
        let function = module.function(&name);
        intrinsic.replace_all_uses(function.expect("it was linked a moment ago"));
        // SAFETY: its uses are replaced, and the handle goes out of scope.
        unsafe { intrinsic.delete_function() };
    }
    Ok(true)
}

/// The line of an intrinsic that is in use and that the maker's back end lacks.
fn lacking(function: Value, maker: Maker) -> Option<&'static Line> {
    if !function.is_intrinsic() || function.is_unused() {
        return None;
    }
    let name = function.name();
    let name = name.split('.').nth(1)?;
    let line = INTRINSICS.iter().find(|line| line.intrinsic == name)?;
    let element = Shape::of(*function.value_type().parameters().first()?).element;
    let computed = match element.as_str() {
        "double" => line.double,
        _ => line.single,
    };
    (!computed.contains(&maker)).then_some(line)
}

/// A type: a number, or a vector of them.
#[derive(Clone, PartialEq, Eq)]
struct Shape {
    element: String,
    /// 0: no vector.
    lanes: u32,
}

impl Shape {
    fn of(ty: Type) -> Shape {
        match ty.kind() == LLVMVectorTypeKind {
            true => Shape {
                element: ty.element(0).print(),
                lanes: ty.length(),
            },
            false => Shape {
                element: ty.print(),
                lanes: 0,
            },
        }
    }

    fn text(&self) -> String {
        match self.lanes {
            0 => self.element.clone(),
            lanes => format!("<{lanes} x {}>", self.element),
        }
    }

    fn scalar(&self) -> Shape {
        Shape {
            element: self.element.clone(),
            lanes: 0,
        }
    }
}

/// The types of an intrinsic. Of two results, which are of one type, the first.
struct Signature {
    result: Shape,
    parameters: Vec<Shape>,
}

impl Signature {
    fn of(ty: Type) -> Result<Signature> {
        let result = ty.result();
        let result = match result.kind() == LLVMStructTypeKind {
            true => result.element(0),
            false => result,
        };
        let signature = Signature {
            result: Shape::of(result),
            parameters: ty.parameters().into_iter().map(Shape::of).collect(),
        };
        let is_float =
            |shape: &Shape| ["half", "bfloat", "float", "double"].contains(&shape.element.as_str());
        let is_pair = ty.result().kind() == LLVMStructTypeKind;
        match signature.parameters.first() {
            Some(first) if is_float(first) && !(is_pair && first.lanes > 0) => Ok(signature),
            _ => bail!("GPUs have no mathematics for {}", ty.print()),
        }
    }

    fn scalar(&self) -> Signature {
        Signature {
            result: self.result.scalar(),
            parameters: self.parameters.iter().map(Shape::scalar).collect(),
        }
    }

    /// The parameters, called `%a0` and so on.
    fn parameter_list(&self) -> String {
        let all = self.parameters.iter().enumerate();
        let all = all.map(|(index, shape)| format!("{} %a{index}", shape.text()));
        all.collect::<Vec<_>>().join(", ")
    }
}

/// The functions that take the place of intrinsics, by name.
struct Definitions {
    maker: Maker,
    functions: BTreeMap<String, String>,
    declarations: BTreeSet<String>,
}

impl Definitions {
    fn text(&self) -> String {
        let all = self.declarations.iter().chain(self.functions.values());
        all.map(String::as_str).collect()
    }

    /// Adds a function for an intrinsic, and those that it calls. Gives its name.
    fn add(&mut self, line: &Line, signature: &Signature) -> String {
        let types = signature.parameters.iter().chain([&signature.result]);
        let suffix: String = types
            .map(|shape| match shape.lanes {
                0 => format!(".{}", shape.element),
                lanes => format!(".v{lanes}{}", shape.element),
            })
            .collect();
        let name = format!("omptarget.{}{suffix}", line.intrinsic);
        if !self.functions.contains_key(&name) {
            let body = match signature.parameters[0].lanes {
                0 => self.scalar(line.formula, signature),
                lanes => self.elements(line, signature, lanes),
            };
            let result = result_text(line.formula, &signature.result);
            let parameters = signature.parameter_list();
            let text = format!("define {result} @{name}({parameters}) alwaysinline {{\n{body}}}\n");
            self.functions.insert(name.clone(), text);
        }
        name
    }

    fn scalar(&mut self, formula: Formula, signature: &Signature) -> String {
        let ty = signature.result.text();
        match formula {
            Call(names) => {
                let call = self.call(names, signature, "r");
                format!("{call}  ret {ty} %r\n")
            }
            Integer(names) => {
                let call = self.call(names, signature, "wide");
                match ty.as_str() {
                    "i64" => format!("{call}  ret i64 %wide\n"),
                    _ => format!("{call}  %r = trunc i64 %wide to {ty}\n  ret {ty} %r\n"),
                }
            }
            Pair(first, second) => {
                let calls =
                    self.call(first, signature, "first") + &self.call(second, signature, "second");
                calls + &pair_end(&ty)
            }
            Parts => {
                let suffix = intrinsic_suffix(&ty);
                self.declare(&format!("{ty} @llvm.trunc.{suffix}({ty})"));
                self.declare(&format!("{ty} @llvm.copysign.{suffix}({ty}, {ty})"));
                // Of an infinite number, the part behind the point is 0.
                let parts = format!(
                    "  %second = call {ty} @llvm.trunc.{suffix}({ty} %a0)
  %rest = fsub {ty} %a0, %second
  %whole = fcmp oeq {ty} %a0, %second
  %small = select i1 %whole, {ty} 0.0, {ty} %rest
  %first = call {ty} @llvm.copysign.{suffix}({ty} %small, {ty} %a0)
"
                );
                parts + &pair_end(&ty)
            }
        }
    }

    /// A call of the library's function in single or double precision, with the intrinsic's arguments.
    fn call(&mut self, names: Names, signature: &Signature, result: &str) -> String {
        let of_argument = signature.parameters[0].element.as_str();
        let is_double = of_argument == "double";
        let precision = if is_double { "double" } else { "float" };
        let is_half = !is_double && of_argument != "float";
        let name = match (self.maker, is_double) {
            (Nvidia, true) => format!("__nv_{}", names[0]),
            (Nvidia, false) => format!("__nv_{}f", names[0]),
            (Amd, true) => format!("__ocml_{}_f64", names[1]),
            (Amd, false) => format!("__ocml_{}_f32", names[1]),
        };
        let (mut text, mut arguments, mut types) = (String::new(), Vec::new(), Vec::new());
        for (index, shape) in signature.parameters.iter().enumerate() {
            let mut argument = format!("%a{index}");
            let mut ty = shape.element.as_str();
            if is_half && ty == of_argument {
                text += &format!("  %{result}.a{index} = fpext {ty} {argument} to float\n");
                (argument, ty) = (format!("%{result}.a{index}"), precision);
            }
            arguments.push(format!("{ty} {argument}"));
            types.push(ty);
        }
        let is_float = signature.result.element == of_argument;
        let returned = if is_float { precision } else { "i64" };
        self.declare(&format!("{returned} @{name}({})", types.join(", ")));
        let arguments = arguments.join(", ");
        text + &match is_half && is_float {
            true => format!(
                "  %{result}.single = call float @{name}({arguments})
  %{result} = fptrunc float %{result}.single to {of_argument}\n"
            ),
            false => format!("  %{result} = call {returned} @{name}({arguments})\n"),
        }
    }

    /// Calls for the elements of vectors.
    fn elements(&mut self, line: &Line, signature: &Signature, lanes: u32) -> String {
        let one = signature.scalar();
        let function = self.add(line, &one);
        let (whole, element) = (signature.result.text(), one.result.text());
        let (mut text, mut so_far) = (String::new(), "poison".to_owned());
        for lane in 0..lanes {
            let mut arguments = Vec::new();
            for (index, shape) in signature.parameters.iter().enumerate() {
                let (ty, name) = (shape.text(), format!("%a{index}"));
                if shape.lanes == 0 {
                    arguments.push(format!("{ty} {name}"));
                    continue;
                }
                text += &format!("  {name}.{lane} = extractelement {ty} {name}, i32 {lane}\n");
                arguments.push(format!("{} {name}.{lane}", shape.element));
            }
            let arguments = arguments.join(", ");
            text += &format!(
                "  %e{lane} = call {element} @{function}({arguments})
  %v{lane} = insertelement {whole} {so_far}, {element} %e{lane}, i32 {lane}\n"
            );
            so_far = format!("%v{lane}");
        }
        text + &format!("  ret {whole} {so_far}\n")
    }

    fn declare(&mut self, function: &str) {
        self.declarations.insert(format!("declare {function}\n"));
    }
}

/// The type of the result.
fn result_text(formula: Formula, result: &Shape) -> String {
    let ty = result.text();
    match formula {
        Pair(..) | Parts => format!("{{ {ty}, {ty} }}"),
        Call(_) | Integer(_) => ty,
    }
}

fn pair_end(ty: &str) -> String {
    let pair = format!("{{ {ty}, {ty} }}");
    format!(
        "  %half = insertvalue {pair} poison, {ty} %first, 0
  %both = insertvalue {pair} %half, {ty} %second, 1
  ret {pair} %both
"
    )
}

/// What LLVM's intrinsics call a type.
fn intrinsic_suffix(ty: &str) -> &'static str {
    match ty {
        "half" => "f16",
        "bfloat" => "bf16",
        "float" => "f32",
        _ => "f64",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    const CALLS: &str = "declare double @llvm.log2.f64(double)
declare float @llvm.exp.f32(float)
declare <2 x half> @llvm.sin.v2f16(<2 x half>)
declare double @llvm.powi.f64.i32(double, i32)
declare i32 @llvm.lround.i32.f32(float)
declare { double, double } @llvm.modf.f64(double)
define void @f(double %d, float %s, <2 x half> %h) {
  %a = call double @llvm.log2.f64(double %d)
  %b = call float @llvm.exp.f32(float %s)
  %c = call <2 x half> @llvm.sin.v2f16(<2 x half> %h)
  %e = call double @llvm.powi.f64.i32(double %d, i32 3)
  %g = call i32 @llvm.lround.i32.f32(float %s)
  %i = call { double, double } @llvm.modf.f64(double %d)
  ret void
}
";

    fn replaced(triple: &str, calls: &str) -> Result<String> {
        let text = format!("target triple = \"{triple}\"\n{calls}");
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        replace(&module, "")?;
        module.verify("after math-intrinsics").unwrap();
        Ok(module.print())
    }

    #[test]
    fn each_makers_library_is_called() {
        let nvidia = replaced("nvptx64-nvidia-cuda", CALLS).unwrap();
        for call in [
            "call double @__nv_log2(double",
            "call float @__nv_expf(float",
            "call float @__nv_sinf(float",
            "call double @__nv_powi(double %a0, i32 %a1)",
            "call i64 @__nv_llroundf(float",
        ] {
            assert!(nvidia.contains(call), "{call} in\n{nvidia}");
        }
        let amd = replaced("amdgcn-amd-amdhsa", CALLS).unwrap();
        for call in [
            "call double @__ocml_log2_f64(double",
            "call float @llvm.exp.f32(float",
            "call float @__ocml_sin_f32(float",
            "call double @__ocml_pown_f64(double %a0, i32 %a1)",
            "call i32 @llvm.lround.i32.f32(float",
        ] {
            assert!(amd.contains(call), "{call} in\n{amd}");
        }
        for text in [nvidia, amd] {
            assert!(
                !text.contains("call { double, double } @llvm.modf"),
                "{text}"
            );
        }
    }

    #[test]
    fn types_that_gpus_do_not_have() {
        let calls = "declare x86_fp80 @llvm.sin.f80(x86_fp80)
define x86_fp80 @f(x86_fp80 %x) {
  %r = call x86_fp80 @llvm.sin.f80(x86_fp80 %x)
  ret x86_fp80 %r
}
";
        let refused = replaced("nvptx64-nvidia-cuda", calls)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("x86_fp80"), "{refused}");
    }
}
