; Kernels in the forms of LLVM between clang 17 and 18 and of clang 18 to 21, and the runtime's own loops in the form before clang 21.
; What changed is in docs/abi.md, "Releases of clang".
;
; Every kernel gives output[thread of team t] = values: see each.
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

; After clang 17: three bytes of configuration, `ident_t *`, dynamic environment.
%configuration17 = type { i8, i8, i8 }
%environment17 = type { %configuration17, ptr, ptr }
; clang 18 and later.
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %configuration, ptr, ptr }

@generic17_environment = constant %environment17 { %configuration17 { i8 1, i8 0, i8 1 }, ptr null, ptr null }
@spmd17_environment = constant %environment17 { %configuration17 { i8 0, i8 0, i8 2 }, ptr null, ptr null }
@generic18_environment = constant %environment { %configuration { i8 1, i8 0, i8 1, i32 1, i32 -1, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }
@spmd18_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 -1, i32 0, i32 0, i32 0, i32 0 }, ptr null, ptr null }

%ident = type { i32, i32, i32, i32, ptr }
@where = constant [23 x i8] c";unknown;unknown;0;0;;\00"
@ident16 = constant %ident { i32 0, i32 2, i32 0, i32 22, ptr @where }

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_51(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64)
declare void @__kmpc_get_shared_variables(ptr)
declare ptr @__kmpc_alloc_shared(i64)
declare void @__kmpc_free_shared(ptr, i64)
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_fini(ptr, i32)
declare void @__kmpc_for_static_loop_4u(ptr, ptr, ptr, i32, i32, i32, i8)
declare void @__kmpc_distribute_static_loop_4u(ptr, ptr, ptr, i32, i32, i8)
declare void @__kmpc_distribute_for_static_loop_4u(ptr, ptr, ptr, i32, i32, i32, i32, i8)
declare i32 @__kmpc_global_thread_num(ptr)
declare i32 @omp_get_team_num()

; `for` over output's numbers 0 … *last, static: adds *value to each.
define internal void @outlined(ptr noalias %thread_at, ptr noalias %bound, ptr %output_at, ptr %last_at, ptr %value) {
entry:
  %lower_at = alloca i32
  %upper_at = alloca i32
  %stride_at = alloca i32
  %is_last_at = alloca i32
  %output = load ptr, ptr %output_at
  %last = load i32, ptr %last_at
  %add = load i32, ptr %value
  store i32 0, ptr %lower_at
  store i32 %last, ptr %upper_at
  store i32 1, ptr %stride_at
  store i32 0, ptr %is_last_at
  %thread = load i32, ptr %thread_at
  call void @__kmpc_for_static_init_4(ptr null, i32 %thread, i32 33, ptr %is_last_at, ptr %lower_at, ptr %upper_at, ptr %stride_at, i32 1, i32 1)
  %stride = load i32, ptr %stride_at
  br label %chunk
chunk:
  %lower = load i32, ptr %lower_at
  %is_in = icmp sle i32 %lower, %last
  br i1 %is_in, label %body, label %done
body:
  %slot = getelementptr i32, ptr %output, i32 %lower
  %old = load i32, ptr %slot
  %new = add i32 %old, %add
  store i32 %new, ptr %slot
  %next = add i32 %lower, %stride
  store i32 %next, ptr %lower_at
  br label %chunk
done:
  call void @__kmpc_for_static_fini(ptr null, i32 %thread)
  ret void
}

define internal void @wrapper(i16 %level, i32 %thread) {
  %thread_at = alloca i32
  %zero_at = alloca i32
  %list_at = alloca ptr
  store i32 %thread, ptr %thread_at
  store i32 0, ptr %zero_at
  call void @__kmpc_get_shared_variables(ptr %list_at)
  %list = load ptr, ptr %list_at
  %output_at = load ptr, ptr %list
  %second = getelementptr ptr, ptr %list, i64 1
  %last_at = load ptr, ptr %second
  %third = getelementptr ptr, ptr %list, i64 2
  %value = load ptr, ptr %third
  call void @outlined(ptr %thread_at, ptr %zero_at, ptr %output_at, ptr %last_at, ptr %value)
  ret void
}

; The region, with captured variables at these places: every number from 0 to %last gets 7, then 11 more from %half threads.
define internal void @region(ptr %output_at, ptr %last_at, ptr %value_at, i32 %half, ptr %wrapper) {
  %list = alloca [3 x ptr]
  store i32 7, ptr %value_at
  store ptr %output_at, ptr %list
  %second = getelementptr [3 x ptr], ptr %list, i64 0, i64 1
  store ptr %last_at, ptr %second
  %third = getelementptr [3 x ptr], ptr %list, i64 0, i64 2
  store ptr %value_at, ptr %third
  %thread = call i32 @__kmpc_global_thread_num(ptr null)
  call void @__kmpc_parallel_51(ptr null, i32 %thread, i32 1, i32 -1, i32 -1, ptr @outlined, ptr %wrapper, ptr %list, i64 3)
  store i32 11, ptr %value_at
  call void @__kmpc_parallel_51(ptr null, i32 %thread, i32 1, i32 %half, i32 -1, ptr @outlined, ptr %wrapper, ptr %list, i64 3)
  ret void
}

; The master's variables are the team's.
define internal void @generic_region(ptr %output, i64 %last64, i64 %half64) {
  %last = trunc i64 %last64 to i32
  %half = trunc i64 %half64 to i32
  %output_at = call ptr @__kmpc_alloc_shared(i64 8)
  %last_at = call ptr @__kmpc_alloc_shared(i64 4)
  %value_at = call ptr @__kmpc_alloc_shared(i64 4)
  store ptr %output, ptr %output_at
  store i32 %last, ptr %last_at
  call void @region(ptr %output_at, ptr %last_at, ptr %value_at, i32 %half, ptr @wrapper)
  call void @__kmpc_free_shared(ptr %value_at, i64 4)
  call void @__kmpc_free_shared(ptr %last_at, i64 4)
  call void @__kmpc_free_shared(ptr %output_at, i64 8)
  ret void
}

; Each thread has variables of its own.
define internal void @spmd_region(ptr %output, i64 %last64, i64 %half64) {
  %last = trunc i64 %last64 to i32
  %half = trunc i64 %half64 to i32
  %output_at = alloca ptr
  %last_at = alloca i32
  %value_at = alloca i32
  store ptr %output, ptr %output_at
  store i32 %last, ptr %last_at
  call void @region(ptr %output_at, ptr %last_at, ptr %value_at, i32 %half, ptr null)
  ret void
}

; After clang 17: the launch environment's place among the parameters is there, but not passed on.
define ptx_kernel void @generic17(ptr %unused, ptr %output, i64 %last64, i64 %half64) {
  %init = call i32 (ptr) @__kmpc_target_init(ptr @generic17_environment)
  %runs = icmp eq i32 %init, -1
  br i1 %runs, label %user, label %end
user:
  call void @generic_region(ptr %output, i64 %last64, i64 %half64)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

define ptx_kernel void @spmd17(ptr %unused, ptr %output, i64 %last64, i64 %half64) {
  %init = call i32 (ptr) @__kmpc_target_init(ptr @spmd17_environment)
  %runs = icmp eq i32 %init, -1
  br i1 %runs, label %user, label %end
user:
  call void @spmd_region(ptr %output, i64 %last64, i64 %half64)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

; clang 18 to 21.
define ptx_kernel void @generic18(ptr %launch, ptr %output, i64 %last64, i64 %half64) {
  %init = call i32 @__kmpc_target_init(ptr @generic18_environment, ptr %launch)
  %runs = icmp eq i32 %init, -1
  br i1 %runs, label %user, label %end
user:
  call void @generic_region(ptr %output, i64 %last64, i64 %half64)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

define ptx_kernel void @spmd18(ptr %launch, ptr %output, i64 %last64, i64 %half64) {
  %init = call i32 @__kmpc_target_init(ptr @spmd18_environment, ptr %launch)
  %runs = icmp eq i32 %init, -1
  br i1 %runs, label %user, label %end
user:
  call void @spmd_region(ptr %output, i64 %last64, i64 %half64)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

; The body of a loop of the runtime's: output[iteration] += 1.
define internal void @count(i32 %iteration, ptr %output) {
  %slot = getelementptr i32, ptr %output, i32 %iteration
  %old = load i32, ptr %slot
  %new = add i32 %old, 1
  store i32 %new, ptr %slot
  ret void
}

; Each form of a loop adds 1 to every number; the threads of all teams share them.
define internal void @distribute_for(ptr noalias %thread_at, ptr noalias %bound, ptr %output_at, ptr %count_at) {
  %output = load ptr, ptr %output_at
  %count = load i32, ptr %count_at
  call void (ptr, ptr, ptr, i32, i32, i32, i32) @__kmpc_distribute_for_static_loop_4u(ptr null, ptr @count, ptr %output, i32 %count, i32 0, i32 0, i32 0)
  call void @__kmpc_distribute_for_static_loop_4u(ptr null, ptr @count, ptr %output, i32 %count, i32 0, i32 0, i32 0, i8 0)
  ret void
}

; The team's own numbers, shared by its threads: output[64 * team …].
define internal void @for_alone(ptr noalias %thread_at, ptr noalias %bound, ptr %output_at, ptr %count_at) {
  %output = load ptr, ptr %output_at
  %team = call i32 @omp_get_team_num()
  %first = mul i32 %team, 64
  %own = getelementptr i32, ptr %output, i32 %first
  call void (ptr, ptr, ptr, i32, i32, i32) @__kmpc_for_static_loop_4u(ptr null, ptr @count, ptr %own, i32 64, i32 0, i32 0)
  call void @__kmpc_for_static_loop_4u(ptr null, ptr @count, ptr %own, i32 64, i32 0, i32 0, i8 0)
  ret void
}

define ptx_kernel void @loops(ptr %launch, ptr %output, i64 %count64) {
  %list = alloca [2 x ptr]
  %output_at = alloca ptr
  %count_at = alloca i32
  %init = call i32 @__kmpc_target_init(ptr @spmd18_environment, ptr %launch)
  %runs = icmp eq i32 %init, -1
  br i1 %runs, label %user, label %end
user:
  %count = trunc i64 %count64 to i32
  store ptr %output, ptr %output_at
  store i32 %count, ptr %count_at
  store ptr %output_at, ptr %list
  %second = getelementptr [2 x ptr], ptr %list, i64 0, i64 1
  store ptr %count_at, ptr %second
  %thread = call i32 @__kmpc_global_thread_num(ptr null)
  call void @__kmpc_parallel_51(ptr null, i32 %thread, i32 1, i32 -1, i32 -1, ptr @distribute_for, ptr null, ptr %list, i64 2)
  call void @__kmpc_parallel_51(ptr null, i32 %thread, i32 1, i32 -1, i32 -1, ptr @for_alone, ptr null, ptr %list, i64 2)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

; `distribute` alone, before clang 21 and after, by the master of each team.
define ptx_kernel void @distribute(ptr %launch, ptr %output, i64 %count64) {
  %init = call i32 @__kmpc_target_init(ptr @generic18_environment, ptr %launch)
  %runs = icmp eq i32 %init, -1
  br i1 %runs, label %user, label %end
user:
  %count = trunc i64 %count64 to i32
  call void (ptr, ptr, ptr, i32, i32) @__kmpc_distribute_static_loop_4u(ptr null, ptr @count, ptr %output, i32 %count, i32 0)
  call void @__kmpc_distribute_static_loop_4u(ptr null, ptr @count, ptr %output, i32 %count, i32 0, i8 0)
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}

; clang 15 to 17: location, mode, whether to run the generic state machine. Not served where the runtime was linked before the image was loaded.
define ptx_kernel void @generic_with_ident(ptr %output) {
  %init = call i32 (ptr, i8, i1) @__kmpc_target_init(ptr @ident16, i8 1, i1 true)
  %runs = icmp eq i32 %init, -1
  br i1 %runs, label %user, label %end
user:
  store i32 1, ptr %output
  call void @__kmpc_target_deinit()
  br label %end
end:
  ret void
}
