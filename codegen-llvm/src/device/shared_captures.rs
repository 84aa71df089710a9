//! Gives a team one copy of each local that a parallel region captures and writes (OpenMP 5.2, §5.1.1: it is shared).
//!
//! clang puts the locals of sequential code into memory that it gets from `__kmpc_alloc_shared`. It leaves an
//! `alloca` where it compiles the code for SPMD mode: there every thread executes the sequential code, with a copy of
//! its own. A region that only reads cannot tell the difference. One that writes can: `parallel` closely nested in
//! `target`, which captures a firstprivate variable, and the buffer of a `scan`, in generic mode as well. So these
//! move to memory from `__kmpc_alloc_shared`, which gives all threads that execute sequential code the same.
//!
//! The pass has to see the code before it is optimised, as later nothing tells a captured local from others. clang
//! runs it on each translation unit (link-plugin).

use std::collections::HashSet;

use anyhow::{Result, bail};
use llvm_sys::LLVMOpcode;
use vgpu_abi::summary::ExecutionMode;

use crate::analysis::captures::{self, Capture, only_marks, same_address};
use crate::analysis::exec_mode;
use crate::analysis::intrinsics::calls_of;
use crate::analysis::source_locations::describe_use;
use crate::ir::{Builder, Context, Module, Type, Value};

/// A barrier for the threads that all execute a team's sequential code; nothing for a thread that does so alone.
const BARRIER: &str = "__omptarget_sequential_barrier";

/// What `__kmpc_alloc_shared` aligns to.
const ALIGNMENT: u32 = 16;

/// Moves the locals of all functions of a translation unit.
///
/// An error says which local cannot be moved, and where it is used.
pub fn run(context: Context, module: &Module) -> Result<()> {
    for function in module.definitions() {
        let captures = captures::written(function);
        if !captures.is_empty() {
            Mover::new(context, module, function).run(&captures)?;
        }
    }
    Ok(())
}

/// Moves locals of one function.
struct Mover<'a> {
    context: Context,
    module: &'a Module,
    function: Value,
    /// In a kernel the call that readies the runtime.
    init: Option<Value>,
}

impl<'a> Mover<'a> {
    fn new(context: Context, module: &'a Module, function: Value) -> Mover<'a> {
        let init = calls_of(function, |name| name == "__kmpc_target_init").next();
        Mover {
            context,
            module,
            function,
            init,
        }
    }

    fn run(&self, captures: &[Capture]) -> Result<()> {
        let in_region = captures::runs_in_region(self.function);
        let forks = each_once(captures.iter().map(|capture| capture.fork));
        if self.is_executed_by_all() && !in_region {
            forks.iter().for_each(|&fork| self.surround(fork));
        }
        let entry = self.function.blocks()[0];
        for local in each_once(captures.iter().map(|capture| capture.local)) {
            match local.allocated_count().as_int() {
                // One thread runs a region in a region, and the local is its own.
                Some(_) if local.block() == entry && in_region => {}
                Some(count) if local.block() == entry => self.share_fixed(local, count)?,
                _ => {
                    let own = captures.iter().filter(|capture| capture.local == local);
                    self.share_dynamic(local, own.map(|capture| capture.fork))?;
                }
            }
        }
        Ok(())
    }

    /// Whether the threads of a team may execute the function's sequential code together.
    fn is_executed_by_all(&self) -> bool {
        self.init.is_none()
            || exec_mode::of(self.module, &self.function.name()) == ExecutionMode::Spmd
    }

    /// No thread begins a region before all have written what it captures, and none reads what the region has
    /// written before all have ended it.
    fn surround(&self, fork: Value) {
        let barrier = self.runtime(BARRIER, Type::void(self.context), &[]);
        let after = fork.next().expect("a call is no terminator");
        for place in [fork, after] {
            Builder::before(self.context, place).call_function(barrier, &[]);
        }
    }

    /// A local that lives as long as the function: in a kernel its contents move once the runtime is ready.
    fn share_fixed(&self, local: Value, count: u64) -> Result<()> {
        let bytes = self.module.layout().alloc_size(local.allocated_type()) * count;
        let size = Value::int(Type::int(self.context, 64), bytes);
        let Some(init) = self.init else {
            let first = first_of_body(self.function);
            let memory = self.allocate(first, size);
            self.replace(local, memory, |_| true)?;
            self.release_at_end(memory, size);
            return Ok(());
        };
        let Some(body) = body_after(init) else {
            bail!(
                "{} has no code after __kmpc_target_init",
                self.function.name()
            );
        };
        let memory = self.allocate(body, size);
        let entry = self.function.blocks()[0];
        let source = same_address(local).pop().unwrap_or(local);
        Builder::before(self.context, body).copy(
            memory,
            ALIGNMENT,
            source,
            local.alignment() as u32,
            size,
        );
        let copy = body.previous();
        self.replace(local, memory, |user| {
            user.block() != entry && Some(user) != copy
        })?;
        self.release_at_end(memory, size);
        Ok(())
    }

    /// A local whose memory is taken where the code gets to it (a `scan`'s buffer), and given back where the stack is
    /// reset.
    fn share_dynamic(&self, local: Value, forks: impl Iterator<Item = Value>) -> Result<()> {
        let builder = Builder::before(self.context, local);
        let i64 = Type::int(self.context, 64);
        let element = Value::int(i64, self.module.layout().alloc_size(local.allocated_type()));
        let count = builder.cast_unsigned(local.allocated_count(), i64);
        let size = builder.binary(LLVMOpcode::LLVMMul, count, element);
        let memory = self.allocate(local, size);
        self.replace(local, memory, |_| true)?;
        for reset in each_once(forks.filter_map(reset_after)) {
            self.release(reset, memory, size);
        }
        Ok(())
    }

    fn allocate(&self, before: Value, size: Value) -> Value {
        let result = Type::pointer(self.context);
        let function = self.runtime("__kmpc_alloc_shared", result, &[size.ty()]);
        Builder::before(self.context, before).call_function(function, &[size])
    }

    fn release(&self, before: Value, memory: Value, size: Value) {
        let parameters = [memory.ty(), size.ty()];
        let function = self.runtime("__kmpc_free_shared", Type::void(self.context), &parameters);
        Builder::before(self.context, before).call_function(function, &[memory, size]);
    }

    /// Gives memory back before the runtime is told that the kernel ends, or before the function returns.
    fn release_at_end(&self, memory: Value, size: Value) {
        let ends: Vec<Value> = match self.init {
            Some(_) => calls_of(self.function, |name| name == "__kmpc_target_deinit").collect(),
            None => {
                let returns = |it: &Value| it.opcode() == Some(LLVMOpcode::LLVMRet);
                self.function
                    .instructions()
                    .into_iter()
                    .filter(returns)
                    .collect()
            }
        };
        for end in ends {
            self.release(end, memory, size);
        }
    }

    /// Makes those users of a local that are asked for use the team's memory.
    fn replace(&self, local: Value, memory: Value, wanted: impl Fn(Value) -> bool) -> Result<()> {
        for address in same_address(local) {
            for user in each_once(address.users().into_iter()) {
                let is_cast = user.opcode() == Some(LLVMOpcode::LLVMAddrSpaceCast);
                if is_cast || !wanted(user) {
                    continue;
                }
                if only_marks(user) {
                    // SAFETY: it has no result, and it is gone from the list of users only.
                    unsafe { user.erase() };
                } else if address.ty() == memory.ty() || takes_any_pointer(user) {
                    user.replace_operand(address, memory);
                } else {
                    bail!(
                        "a variable that a parallel region of `{}` captures and writes cannot be shared by its team, {}",
                        self.function.name(),
                        describe_use(self.context, address)
                    );
                }
            }
        }
        Ok(())
    }

    /// A function of the device runtime's.
    fn runtime(&self, name: &str, result: Type, parameters: &[Type]) -> Value {
        let ty = Type::function(result, parameters);
        self.module
            .function(name)
            .unwrap_or_else(|| self.module.declare(name, ty))
    }
}

/// The values in order, each once.
fn each_once(values: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut seen = HashSet::new();
    values.filter(|&value| seen.insert(value)).collect()
}

/// Whether an instruction does with a pointer of any address space what it does.
fn takes_any_pointer(instruction: Value) -> bool {
    matches!(
        instruction.opcode(),
        Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore)
    )
}

/// The first instruction of a function that makes no local.
fn first_of_body(function: Value) -> Value {
    let makes_local = |it: &Value| {
        matches!(
            it.opcode(),
            Some(LLVMOpcode::LLVMAlloca | LLVMOpcode::LLVMAddrSpaceCast)
        )
    };
    let mut instructions = function.blocks()[0].instructions().into_iter();
    instructions
        .find(|it| !makes_local(it))
        .expect("a block has a terminator")
}

/// The first instruction that a kernel's sequential code begins with: where `__kmpc_target_init` gives -1.
fn body_after(init: Value) -> Option<Value> {
    let question = init
        .users()
        .into_iter()
        .find(|user| user.opcode() == Some(LLVMOpcode::LLVMICmp))?;
    let branch = question
        .users()
        .into_iter()
        .find(|user| user.opcode() == Some(LLVMOpcode::LLVMBr))?;
    let way = usize::from(!question.is_equality());
    branch
        .successors()
        .get(way)?
        .instructions()
        .into_iter()
        .next()
}

/// Where the stack is reset after a region, on the one way from there.
fn reset_after(fork: Value) -> Option<Value> {
    let mut block = fork.block();
    let mut instructions = block.instructions();
    let at = instructions.iter().position(|it| *it == fork)?;
    instructions.drain(..=at);
    // More blocks than any construct has between a region and its end; a loop without an end has no reset.
    for _ in 0..64 {
        let is_reset = |it: &&Value| {
            it.called_function()
                .is_some_and(|called| called.name().starts_with("llvm.stackrestore"))
        };
        if let Some(reset) = instructions.iter().find(is_reset) {
            return Some(*reset);
        }
        let [next] = block.successors()[..] else {
            return None;
        };
        block = next;
        instructions = block.instructions();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel as clang emits it, whose region captures `@x`'s copy and the buffer, and the module after the pass.
    fn shared(mode: u32, region: &str) -> String {
        let context = Context::new();
        let text = format!(
            "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"
target triple = \"nvptx64-nvidia-cuda\"
@k_kernel_environment = constant {{ {{ i8, i8, i8 }} }} {{ {{ i8, i8, i8 }} {{ i8 0, i8 0, i8 {mode} }} }}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @llvm.lifetime.start.p0(ptr)
define ptx_kernel void @k(ptr %environment, i64 %value) {{
  %x = alloca i64, align 8
  %list = alloca [2 x ptr], align 8
  store i64 %value, ptr %x
  %exec = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %environment)
  %goes = icmp eq i32 %exec, -1
  br i1 %goes, label %code, label %exit
code:
  call void @llvm.lifetime.start.p0(ptr %x)
  %x.entry = getelementptr inbounds [2 x ptr], ptr %list, i64 0, i64 1
  store ptr %x, ptr %x.entry
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %list, i64 2, i32 0)
  call void @__kmpc_target_deinit()
  ret void
exit:
  ret void
}}
define internal void @region(ptr %gtid, ptr %btid, ptr %first, ptr %x) {{
  %slot = alloca ptr
  store ptr %x, ptr %slot
  %address = load ptr, ptr %slot
{region}
  ret void
}}
"
        );
        let module = Module::parse(context, &text, "test").unwrap();
        run(context, &module).unwrap();
        module.verify("after the pass").unwrap();
        module.print()
    }

    const WRITES: &str = "  store i64 1, ptr %address";

    /// The lines of `text` that have one of these, in order, without indentation.
    fn lines<'a>(text: &'a str, of: &[&str]) -> Vec<&'a str> {
        let is_wanted =
            |line: &&str| of.iter().any(|part| line.contains(part)) && !line.starts_with("declare");
        text.lines().filter(is_wanted).map(str::trim).collect()
    }

    #[test]
    fn what_a_region_writes_is_its_teams() {
        let printed = shared(2, WRITES);
        let expected = [
            "%1 = call ptr @__kmpc_alloc_shared(i64 8)",
            "call void @llvm.memcpy.p0.p0.i64(ptr align 16 %1, ptr align 8 %x, i64 8, i1 false)",
            "store ptr %1, ptr %x.entry, align 8",
            "call void @__omptarget_sequential_barrier()",
            "call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %list, i64 2, i32 0)",
            "call void @__omptarget_sequential_barrier()",
            "call void @__kmpc_free_shared(ptr %1, i64 8)",
            "call void @__kmpc_target_deinit()",
        ];
        let kept = [
            "_shared(",
            "memcpy",
            "%x.entry, align",
            "barrier()",
            "call void @__kmpc_parallel",
            "deinit()",
        ];
        assert_eq!(lines(&printed, &kept), expected, "{printed}");
        assert!(!printed.contains("call void @llvm.lifetime"), "{printed}");
    }

    /// The master alone executes sequential code.
    #[test]
    fn generic_kernels_need_no_barriers() {
        let printed = shared(1, WRITES);
        assert!(
            printed.contains("call ptr @__kmpc_alloc_shared(i64 8)"),
            "{printed}"
        );
        assert!(!printed.contains("sequential_barrier"), "{printed}");
    }

    #[test]
    fn what_a_region_reads_stays() {
        let nested = "  %list = alloca [1 x ptr]
  store ptr %address, ptr %list
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @reads, ptr null, ptr %list, i64 1, i32 0)
  ret void
}
define internal void @reads(ptr %gtid, ptr %btid, ptr %x) {
  %v = load i64, ptr %x";
        let distance = "  %end = getelementptr i64, ptr %address, i64 1
  %a = ptrtoint ptr %address to i64
  %b = ptrtoint ptr %end to i64
  %d = sub i64 %b, %a";
        for region in ["  %v = load i64, ptr %address", nested, distance] {
            let printed = shared(2, region);
            assert!(!printed.contains("__kmpc_alloc_shared"), "{printed}");
        }
    }

    /// One thread runs a region in a region; with debug information, a region's code is in a function that it calls.
    #[test]
    fn locals_of_regions_stay() {
        let region = "  call void @code(ptr %address)
  ret void
}
define internal void @code(ptr %x) {
  %own = alloca i64
  %list = alloca [1 x ptr]
  store ptr %own, ptr %list
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @nested, ptr null, ptr %list, i64 1, i32 0)
  ret void
}
define internal void @nested(ptr %gtid, ptr %btid, ptr %own) {
  store i64 1, ptr %own";
        let printed = shared(2, region);
        assert!(!printed.contains("__kmpc_alloc_shared"), "{printed}");
    }

    /// One thread adds the team's sum to its own copy, and goes on with that.
    #[test]
    fn what_a_reduction_ends_in_stays() {
        let printed = shared(
            2,
            "  %has = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null)
  %result = icmp eq i32 %has, 1
  br i1 %result, label %then, label %done
then:
  store i64 1, ptr %address
  br label %done
done:",
        );
        assert!(!printed.contains("__kmpc_alloc_shared"), "{printed}");
    }

    #[test]
    fn what_is_not_understood_may_write() {
        let number = "  %n = ptrtoint ptr %address to i64
  %again = inttoptr i64 %n to ptr
  store i64 1, ptr %again";
        let unknown = "  call void @unknown(ptr %address)\n  ret void\n}\ndeclare void @unknown(ptr)\ndefine void @other() {";
        for region in [
            "  %old = atomicrmw add ptr %address, i64 1 monotonic",
            unknown,
            number,
        ] {
            let printed = shared(2, region);
            assert!(
                printed.contains("call ptr @__kmpc_alloc_shared(i64 8)"),
                "{printed}"
            );
        }
    }

    /// Two scans in a function: each buffer is given back where its own scan ends, once.
    #[test]
    fn each_buffer_is_given_back_once() {
        let scan = |name: &str, next: &str| {
            format!(
                "{name}:
  %stack.{name} = call ptr @llvm.stacksave.p0()
  %buffer.{name} = alloca i32, i64 64
  %list.{name} = alloca [1 x ptr]
  store ptr %buffer.{name}, ptr %list.{name}
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %list.{name}, \
                 i64 1, i32 0)
  call void @llvm.stackrestore.p0(ptr %stack.{name})
  {next}
"
            )
        };
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
define void @f() {{
  br label %one
{}{}}}
define internal void @region(ptr %gtid, ptr %btid, ptr %buffer) {{
  store i32 1, ptr %buffer
  ret void
}}
",
            scan("one", "br label %two"),
            scan("two", "ret void"),
        );
        let context = Context::new();
        let module = Module::parse(context, &text, "test").unwrap();
        run(context, &module).unwrap();
        module.verify("after the pass").unwrap();
        let printed = module.print();
        assert_eq!(
            printed.matches("call void @__kmpc_free_shared(").count(),
            2,
            "{printed}"
        );
    }

    /// A scan's buffer on an AMD GPU, in a function: taken where it was, given back where the stack is reset.
    #[test]
    fn buffers_of_scans_move_in_every_function() {
        let context = Context::new();
        let text = "target datalayout = \"e-p5:32:32-i64:64-A5\"
target triple = \"amdgcn-amd-amdhsa\"
declare ptr addrspace(5) @llvm.stacksave.p5()
declare void @llvm.stackrestore.p5(ptr addrspace(5))
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
define void @f(i32 %n) {
  %list = alloca [1 x ptr], align 8, addrspace(5)
  %list.cast = addrspacecast ptr addrspace(5) %list to ptr
  br label %code
code:
  %stack = call ptr addrspace(5) @llvm.stacksave.p5()
  %buffer = alloca i32, i32 %n, align 4, addrspace(5)
  %buffer.cast = addrspacecast ptr addrspace(5) %buffer to ptr
  %entry = getelementptr inbounds [1 x ptr], ptr %list.cast, i64 0, i64 0
  store ptr %buffer.cast, ptr %entry
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %list.cast, i64 1, i32 0)
  br label %end
end:
  call void @llvm.stackrestore.p5(ptr addrspace(5) %stack)
  ret void
}
define internal void @region(ptr %gtid, ptr %btid, ptr %buffer) {
  store i32 1, ptr %buffer
  ret void
}
";
        let module = Module::parse(context, text, "test").unwrap();
        run(context, &module).unwrap();
        module.verify("after the pass").unwrap();
        let printed = module.print();
        let expected = [
            "%1 = zext i32 %n to i64",
            "%2 = mul i64 %1, 4",
            "%3 = call ptr @__kmpc_alloc_shared(i64 %2)",
            "store ptr %3, ptr %entry, align 8",
            "call void @__kmpc_free_shared(ptr %3, i64 %2)",
            "call void @llvm.stackrestore.p5(ptr addrspace(5) %stack)",
        ];
        let kept = [
            "_shared(",
            "zext",
            "mul",
            "%entry, align",
            "call void @llvm.stackrestore",
        ];
        assert_eq!(lines(&printed, &kept), expected, "{printed}");
    }
}
