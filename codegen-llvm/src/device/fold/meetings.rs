//! Which functions run in the same launch.
//!
//! An image has one set of shared variables, but each launch has its own memory for them: what a kernel stores there is
//! read by what the same kernel reaches, or by nobody.

use std::collections::HashSet;

use crate::analysis::{kernels, reach};
use crate::ir::{Module, Value};

/// What the names of regions and tasks contain. The runtime calls them in the kernel that names them.
const OF_CONSTRUCTS: [&str; 2] = ["omp_outlined", ".omp_task_"];

/// The functions that each kernel of an image may call.
pub struct Meetings {
    kernels: Vec<HashSet<Value>>,
    /// Functions that are called by their addresses, and are not regions or tasks: any kernel may call them.
    anywhere: HashSet<Value>,
}

impl Meetings {
    pub fn of(module: &Module) -> Meetings {
        let kernels = kernels::find(module).into_iter();
        Meetings {
            kernels: kernels.map(|it| reached(vec![it.function])).collect(),
            anywhere: reached(called_by_address(module)),
        }
    }

    /// Whether a function may run in the same launch as one of some others.
    pub fn meets(&self, function: Value, others: &HashSet<Value>) -> bool {
        if others.is_empty() {
            return false;
        }
        let may_be_anywhere =
            self.anywhere.contains(&function) || !self.anywhere.is_disjoint(others);
        let mut kernels = self.kernels.iter();
        may_be_anywhere || kernels.any(|it| it.contains(&function) && !it.is_disjoint(others))
    }
}

/// The functions that these functions reach.
fn reached(functions: Vec<Value>) -> HashSet<Value> {
    let symbols = reach::mentioned(functions).into_iter();
    symbols.filter(|it| it.is_function()).collect()
}

/// Functions whose address is taken, but regions and tasks.
fn called_by_address(module: &Module) -> Vec<Value> {
    let is_taken = |function: &Value| {
        let users = function.users().into_iter();
        let mut others = users.filter(|user| user.called_function() != Some(*function));
        others.next().is_some()
    };
    let is_of_construct = |function: &Value| {
        let name = function.name();
        OF_CONSTRUCTS.iter().any(|part| name.contains(part))
    };
    module
        .definitions()
        .into_iter()
        .filter(|it| is_taken(it) && !is_of_construct(it))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    const IMAGE: &str = "target triple = \"nvptx64-nvidia-cuda\"
@table = global ptr null
define internal void @one() {
  ret void
}
define internal void @both() {
  ret void
}
define internal void @omp_outlined_region() {
  ret void
}
define internal void @called_back() {
  ret void
}
define ptx_kernel void @first() {
  store ptr @omp_outlined_region, ptr @table
  call void @one()
  call void @both()
  ret void
}
define ptx_kernel void @second() {
  store ptr @called_back, ptr @table
  call void @both()
  ret void
}
";

    #[test]
    fn functions_meet_in_kernels_that_reach_both() {
        let module = Module::parse(Context::new(), IMAGE, "test").unwrap();
        let meetings = Meetings::of(&module);
        let meets = |one: &str, others: &[&str]| {
            let of = |name: &&str| module.function(name).unwrap();
            meetings.meets(of(&one), &others.iter().map(of).collect())
        };
        assert!(meets("one", &["both"]));
        assert!(meets("one", &["second", "first"]));
        assert!(meets("omp_outlined_region", &["one"]));
        assert!(!meets("one", &["second"]));
        assert!(!meets("omp_outlined_region", &["second"]));
        assert!(!meets("one", &[]));
        // Who knows where its address gets to.
        assert!(meets("one", &["called_back"]));
        assert!(meets("called_back", &["one"]));
    }
}
