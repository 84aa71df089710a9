//! Gives operations of a warp that name no lanes the mask of the lanes that are active.
//!
//! `__shfl_down` and its like are older than GPUs whose lanes advance each on its own. These have such operations with
//! a mask only (PTX ISA, "shfl", "vote": none without `.sync` from sm_70 on), and LLVM's back end ends the process.

use crate::ir::{Builder, Module, Type, Value};

/// What the names of such intrinsics begin with.
const SHUFFLES: &str = "llvm.nvvm.shfl.";
const VOTES: [&str; 4] = [
    "llvm.nvvm.vote.all",
    "llvm.nvvm.vote.any",
    "llvm.nvvm.vote.uni",
    "llvm.nvvm.vote.ballot",
];

/// The pass.
pub fn run(module: &Module) {
    for function in module.definitions() {
        for call in function.instructions() {
            let called = call.is_call().then(|| call.called_function()).flatten();
            if let Some(name) = called.and_then(|called| with_mask(&called.name())) {
                add_mask(module, call, &name);
            }
        }
    }
}

/// The intrinsic that has a mask, for one that has none.
fn with_mask(name: &str) -> Option<String> {
    if VOTES.contains(&name) {
        return Some(format!("{name}.sync"));
    }
    let form = name.strip_prefix(SHUFFLES)?;
    (!form.starts_with("sync.")).then(|| format!("{SHUFFLES}sync.{form}"))
}

fn add_mask(module: &Module, call: Value, name: &str) {
    let builder = Builder::before(module.context, call);
    builder.locate_as(call);
    let word = Type::int(module.context, 32);
    let active = module.declare("llvm.nvvm.activemask", Type::function(word, &[]));
    let mask = builder.call_function(active, &[]);
    let arguments: Vec<Value> = std::iter::once(mask).chain(call.arguments()).collect();
    let types: Vec<Type> = arguments.iter().map(|argument| argument.ty()).collect();
    let synchronised = module.declare(name, Type::function(call.ty(), &types));
    let made = builder.call_function(synchronised, &arguments);
    // SAFETY: the snapshot's handle of the call is not used again.
    unsafe { call.replace_with(made) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    #[test]
    fn operations_get_masks() {
        let text = "define i32 @f(i32 %v, i1 %p) {
  %a = call i32 @llvm.nvvm.shfl.down.i32(i32 %v, i32 1, i32 31)
  %b = call i32 @llvm.nvvm.vote.ballot(i1 %p)
  %c = call i32 @llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %v, i32 1, i32 31)
  %d = add i32 %a, %b
  %e = add i32 %c, %d
  ret i32 %e
}
declare i32 @llvm.nvvm.shfl.down.i32(i32, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot(i1)
";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(&module);
        module.verify("after the pass").unwrap();
        let after = module.print();
        for expected in [
            "@llvm.nvvm.shfl.sync.down.i32(i32 %1, i32 %v, i32 1, i32 31)",
            "@llvm.nvvm.vote.ballot.sync(i32 %3, i1 %p)",
            "@llvm.nvvm.shfl.sync.down.i32(i32 -1, i32 %v, i32 1, i32 31)",
        ] {
            assert!(after.contains(expected), "{after}");
        }
        assert_eq!(
            after.matches("call i32 @llvm.nvvm.activemask()").count(),
            2,
            "{after}"
        );
    }
}
