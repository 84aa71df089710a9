//! Parts of a module, of which machine code can be made at the same time.
//!
//! Each function is in one part. Variables are in the first. So addresses are what they would be in one object, and the
//! code of a function is the same, whatever else is in its part.

use llvm_sys::LLVMLinkage::LLVMExternalLinkage;
use llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex, LLVMOpcode};

use crate::analysis::host_instructions;
use crate::ir::{Machine, Module, Value};

/// Instructions of the host, as [`host_instructions`] counts them, for which a process of its own pays: a tenth of a
/// second of the back end's time, while a copy of the process takes 5 ms.
const WORTHWHILE: u64 = 4000;
/// Most parts: what processes need of memory is bounded.
const MOST: usize = 16;

/// The functions of each part.
pub struct Parts(Vec<Vec<Value>>);

/// Divides a module into as many parts as there are CPUs for, if each has enough to do, or into `wanted` parts.
pub fn divide(module: &Module, machine: &Machine, wanted: Option<usize>) -> Parts {
    let (layout, bits) = (module.layout(), host_instructions::register_bits(machine));
    let functions = module.definitions().into_iter();
    let costs = functions.map(|it| (host_instructions::count(it, &layout, bits), it));
    let costs: Vec<_> = costs.collect();
    let parts = match wanted {
        _ if !is_divisible(module) => 1,
        Some(wanted) => wanted,
        None => {
            let all: u64 = costs.iter().map(|(cost, _)| cost).sum();
            let cpus = std::thread::available_parallelism().map_or(1, usize::from);
            cpus.min(MOST).min((all / WORTHWHILE) as usize)
        }
    };
    Parts(balanced(costs, parts.max(1)))
}

impl Parts {
    /// How many they are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Lets code of each part refer to what is in another.
    pub fn connect(&self, module: &Module) {
        let all = module.definitions().into_iter().chain(module.globals());
        let local = all.filter(|it| !it.is_declaration() && it.is_local());
        for (number, value) in local.enumerate() {
            value.share(&format!("vgpu.part.{number}"));
        }
    }

    /// Makes declarations of everything that is not in a part. It can be done once.
    pub fn keep(&self, module: &Module, part: usize) {
        for (number, functions) in self.0.iter().enumerate() {
            if number != part {
                functions.iter().for_each(|&it| declare(module, it));
            }
        }
        if part > 0 {
            module.globals().into_iter().for_each(leave_out);
        }
    }
}

/// Whether each function can be compiled without the others. Labels of a function may be in a variable, and assembly
/// and other names of a function belong to no function.
fn is_divisible(module: &Module) -> bool {
    let jumps = |it: Value| it.opcode() == Some(LLVMOpcode::LLVMIndirectBr);
    let mut functions = module.definitions().into_iter();
    module.inline_assembly().is_empty()
        && !module.has_aliases()
        && !functions.any(|function| function.instructions().into_iter().any(jumps))
}

/// The functions with the costs, in `parts` parts: the most costly first, each where least is. Within a part they stay
/// in the order of the module.
fn balanced<T>(functions: Vec<(u64, T)>, parts: usize) -> Vec<Vec<T>> {
    let mut order: Vec<_> = (0..functions.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(functions[index].0));
    let mut sums = vec![0; parts];
    let mut part_of = vec![0; functions.len()];
    for index in order {
        let least = (0..parts).min_by_key(|&part| sums[part]).unwrap_or(0);
        sums[least] += functions[index].0;
        part_of[index] = least;
    }
    let mut divided: Vec<_> = (0..parts).map(|_| Vec::new()).collect();
    for ((_, function), part) in functions.into_iter().zip(part_of) {
        divided[part].push(function);
    }
    divided
}

/// Replaces a function by a declaration. What is known of the function (it is cold, does not return) stays known to the
/// code that calls it.
fn declare(module: &Module, function: Value) {
    let name = function.name();
    function.set_name("");
    let declaration = module.declare(&name, function.value_type());
    declaration.set_calling_convention(function.calling_convention());
    declaration.hide();
    let parameters = 1..=function.parameters().len() as u32;
    let indices = [LLVMAttributeFunctionIndex, LLVMAttributeReturnIndex];
    for index in indices.into_iter().chain(parameters) {
        declaration.copy_attributes(index, function, index);
    }
    function.replace_all_uses(declaration);
    // SAFETY: its uses are replaced, and `keep` is called once.
    unsafe { function.delete_function() };
}

/// Makes a declaration of a variable. Tables for LLVM itself (`llvm.used`) go.
fn leave_out(variable: Value) {
    if variable.name().starts_with("llvm.") && variable.is_unused() {
        // SAFETY: nothing uses it, and the handle goes out of scope.
        unsafe { variable.delete_global() };
    } else if !variable.is_declaration() {
        variable.drop_initializer();
        variable.set_linkage(LLVMExternalLinkage);
        variable.drop_comdat();
        variable.hide();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    #[test]
    fn costs_are_balanced_and_order_stays() {
        let functions = vec![(1, 'a'), (9, 'b'), (2, 'c'), (5, 'd'), (4, 'e')];
        let parts = balanced(functions, 2);
        assert_eq!(parts, [vec!['b', 'c'], vec!['a', 'd', 'e']]);
    }

    #[test]
    fn there_may_be_more_parts_than_functions() {
        assert_eq!(balanced(vec![(1, 'a')], 3), [vec!['a'], vec![], vec![]]);
    }

    const TEXT: &str = "
        @table = internal global [1 x ptr] [ptr @second]
        @0 = private unnamed_addr constant i32 7
        define ptr @first() {
          %value = load i32, ptr @0
          call fastcc void @second(i32 %value)
          ret ptr @table
        }
        define internal fastcc void @second(i32 noundef %value) cold {
          %more = add i32 %value, %value
          %most = add i32 %more, %value
          ret void
        }
    ";

    fn part(number: usize) -> String {
        Module::after(TEXT, |module| {
            let functions = module.definitions();
            let parts = Parts(vec![vec![functions[0]], vec![functions[1]]]);
            parts.connect(module);
            parts.keep(module, number);
        })
    }

    #[test]
    fn variables_are_in_the_first_part() {
        let first = part(0);
        for line in [
            "@table = hidden global [1 x ptr] [ptr @second]",
            "@vgpu.part.2 = hidden unnamed_addr constant i32 7",
            "define ptr @first()",
            "declare hidden fastcc void @second(i32 noundef) #0",
            "attributes #0 = { cold }",
        ] {
            assert!(first.contains(line), "{line} is missing in {first}");
        }
    }

    #[test]
    fn other_parts_refer_to_it() {
        let second = part(1);
        for line in [
            "@table = external hidden global [1 x ptr]",
            "@vgpu.part.2 = external hidden unnamed_addr constant i32",
            "declare hidden ptr @first()",
            "define hidden fastcc void @second(i32 noundef %value)",
        ] {
            assert!(second.contains(line), "{line} is missing in {second}");
        }
    }

    #[test]
    fn labels_and_other_names_keep_a_module_whole() {
        let is_divisible = |text: &str| {
            let module = Module::parse(Context::new(), text, "test").unwrap();
            super::is_divisible(&module)
        };
        assert!(is_divisible(TEXT));
        assert!(!is_divisible(&format!(
            "{TEXT}\n@other = alias ptr (), ptr @first"
        )));
        assert!(!is_divisible(&format!("{TEXT}\nmodule asm \"nop\"")));
        assert!(!is_divisible(
            "define void @f(ptr %to) {
               indirectbr ptr %to, [label %a]
             a:
               ret void
             }"
        ));
    }
}
