; A generic kernel as the papers have it: the master/worker split and the pool's barriers are the kernel's own
; (fork-join paper, pseudocode 1; sharing paper, Fig. 2 to 4). Where Fig. 2 reads the thread's number from a special
; register this asks the runtime, because generic kernels are launched along y (docs/abi.md).
;
; The team's master counts in a variable of its stack; two regions work on it: the first adds every thread's number
; plus one, with a user barrier in the middle (pseudocode 1, line 32); the second, of `threads` threads, stores what it
; finds into output[team * 1024 + thread].
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

declare i32 @__kmpc_get_hardware_thread_id_in_block()
declare i32 @__kmpc_get_hardware_num_threads_in_block()
declare i32 @__kmpc_get_warp_size()
declare void @__kmpc_kernel_init(i32, i16)
declare void @__kmpc_kernel_deinit(i16)
declare void @__kmpc_kernel_prepare_parallel(ptr)
declare zeroext i1 @__kmpc_kernel_parallel(ptr)
declare void @__kmpc_kernel_end_parallel()
declare void @__kmpc_kernel_prepare_parallel_shared(ptr, ptr, i32)
declare zeroext i1 @__kmpc_kernel_parallel_shared(ptr, ptr)
declare void @__kmpc_begin_sharing_variables(ptr, i64)
declare void @__kmpc_end_sharing_variables()
declare void @__kmpc_get_shared_variables(ptr)
declare void @__kmpc_data_sharing_init_stack()
declare ptr @__kmpc_data_sharing_push_stack(i64, i16)
declare void @__kmpc_data_sharing_pop_stack(ptr)
declare void @__kmpc_push_num_threads(ptr, i32, i32)
declare void @__kmpc_barrier(ptr, i32)
declare i32 @omp_get_thread_num()
declare i32 @omp_get_num_threads()
declare i32 @omp_get_level()
declare i32 @omp_get_team_num()
declare void @llvm.nvvm.barrier0() #0

; The split of Fig. 2: 0 for a worker, 1 for the master, 2 for the lanes that end at once.
define internal i32 @role(ptr %limit) {
entry:
  %thread = call i32 @__kmpc_get_hardware_thread_id_in_block()
  %threads = call i32 @__kmpc_get_hardware_num_threads_in_block()
  %warp = call i32 @__kmpc_get_warp_size()
  %thread_limit = sub i32 %threads, %warp
  store i32 %thread_limit, ptr %limit
  %is_worker = icmp ult i32 %thread, %thread_limit
  br i1 %is_worker, label %worker, label %mastercheck
worker:
  ret i32 0
mastercheck:
  %last = sub i32 %threads, 1
  %low = sub i32 %warp, 1
  %mask = xor i32 %low, -1
  %master_tid = and i32 %last, %mask
  %is_master = icmp eq i32 %thread, %master_tid
  %role = select i1 %is_master, i32 1, i32 2
  ret i32 %role
}

; Fig. 3, with the list fetched by the wrapper (clang's releases).
define internal void @worker() {
entry:
  %work_fn = alloca ptr
  call void @__kmpc_data_sharing_init_stack()
  br label %await.work
await.work:
  call void @llvm.nvvm.barrier0() #0
  %active = call zeroext i1 @__kmpc_kernel_parallel(ptr %work_fn)
  %function = load ptr, ptr %work_fn
  %terminate = icmp eq ptr %function, null
  br i1 %terminate, label %exit, label %select.workers
select.workers:
  br i1 %active, label %execute.parallel, label %barrier.parallel
execute.parallel:
  call void %function(i16 0, i32 0)
  call void @__kmpc_kernel_end_parallel()
  br label %barrier.parallel
barrier.parallel:
  call void @llvm.nvvm.barrier0() #0
  br label %await.work
exit:
  ret void
}

; Fig. 3 to the letter: the list comes with the function, and the wrapper gets it.
define internal void @worker_shared() {
entry:
  %work_fn = alloca ptr
  %shared_args = alloca ptr
  br label %await.work
await.work:
  call void @llvm.nvvm.barrier0() #0
  %active = call zeroext i1 @__kmpc_kernel_parallel_shared(ptr %work_fn, ptr %shared_args)
  %function = load ptr, ptr %work_fn
  %terminate = icmp eq ptr %function, null
  br i1 %terminate, label %exit, label %select.workers
select.workers:
  br i1 %active, label %execute.parallel, label %barrier.parallel
execute.parallel:
  %list = load ptr, ptr %shared_args
  call void %function(i16 0, i32 0, ptr %list)
  call void @__kmpc_kernel_end_parallel()
  br label %barrier.parallel
barrier.parallel:
  call void @llvm.nvvm.barrier0() #0
  br label %await.work
exit:
  ret void
}

; First region: *count += thread + 1, then, behind a barrier, everyone has the sum.
define internal void @outlined_sum(ptr %count, ptr %output) {
  %thread = call i32 @omp_get_thread_num()
  %more = add i32 %thread, 1
  %old = atomicrmw add ptr %count, i32 %more monotonic
  call void @__kmpc_barrier(ptr null, i32 %thread)
  %sum = load volatile i32, ptr %count
  %slot = call ptr @slot(ptr %output)
  store i32 %sum, ptr %slot
  ret void
}

; Second region: output[…] += 1000 * number of threads + 100000 * level.
define internal void @outlined_store(ptr %count, ptr %output) {
  %slot = call ptr @slot(ptr %output)
  %threads = call i32 @omp_get_num_threads()
  %level = call i32 @omp_get_level()
  %a = mul i32 %threads, 1000
  %b = mul i32 %level, 10000000
  %c = add i32 %a, %b
  %old = load i32, ptr %slot
  %new = add i32 %old, %c
  store i32 %new, ptr %slot
  ret void
}

define internal ptr @slot(ptr %output) {
  %thread = call i32 @omp_get_thread_num()
  %team = call i32 @omp_get_team_num()
  %base = mul i32 %team, 1024
  %index = add i32 %base, %thread
  %index64 = zext i32 %index to i64
  %slot = getelementptr i32, ptr %output, i64 %index64
  ret ptr %slot
}

define internal void @wrapper_sum(i16 %level, i32 %thread) {
  %shared_args = alloca ptr
  call void @__kmpc_get_shared_variables(ptr %shared_args)
  %list = load ptr, ptr %shared_args
  call void @wrapper_sum_shared(i16 %level, i32 %thread, ptr %list)
  ret void
}

define internal void @wrapper_store(i16 %level, i32 %thread) {
  %shared_args = alloca ptr
  call void @__kmpc_get_shared_variables(ptr %shared_args)
  %list = load ptr, ptr %shared_args
  call void @wrapper_store_shared(i16 %level, i32 %thread, ptr %list)
  ret void
}

; Fig. 4.
define internal void @wrapper_sum_shared(i16 %level, i32 %thread, ptr %list) {
  %count = load ptr, ptr %list
  %second = getelementptr ptr, ptr %list, i64 1
  %output = load ptr, ptr %second
  call void @outlined_sum(ptr %count, ptr %output)
  ret void
}

define internal void @wrapper_store_shared(i16 %level, i32 %thread, ptr %list) {
  %count = load ptr, ptr %list
  %second = getelementptr ptr, ptr %list, i64 1
  %output = load ptr, ptr %second
  call void @outlined_store(ptr %count, ptr %output)
  ret void
}

; The form clang 8 to 12 emitted: lists in calls of their own, shared locals pushed and popped, `num_threads` ahead.
define ptx_kernel void @released(ptr %output, i32 %threads) {
entry:
  %limit = alloca i32
  %shared_args = alloca ptr
  %role = call i32 @role(ptr %limit)
  switch i32 %role, label %exit [
    i32 0, label %worker
    i32 1, label %master
  ]
worker:
  call void @worker()
  br label %exit
master:
  %thread_limit = load i32, ptr %limit
  call void @__kmpc_kernel_init(i32 %thread_limit, i16 1)
  call void @__kmpc_data_sharing_init_stack()
  %count = call ptr @__kmpc_data_sharing_push_stack(i64 4, i16 1)
  store i32 0, ptr %count
  call void @__kmpc_kernel_prepare_parallel(ptr @wrapper_sum)
  call void @__kmpc_begin_sharing_variables(ptr %shared_args, i64 2)
  %list = load ptr, ptr %shared_args
  store ptr %count, ptr %list
  %second = getelementptr ptr, ptr %list, i64 1
  store ptr %output, ptr %second
  call void @llvm.nvvm.barrier0() #0
  call void @llvm.nvvm.barrier0() #0
  call void @__kmpc_end_sharing_variables()
  call void @__kmpc_push_num_threads(ptr null, i32 0, i32 %threads)
  call void @__kmpc_kernel_prepare_parallel(ptr @wrapper_store)
  call void @__kmpc_begin_sharing_variables(ptr %shared_args, i64 2)
  %list2 = load ptr, ptr %shared_args
  store ptr %count, ptr %list2
  %second2 = getelementptr ptr, ptr %list2, i64 1
  store ptr %output, ptr %second2
  call void @llvm.nvvm.barrier0() #0
  call void @llvm.nvvm.barrier0() #0
  call void @__kmpc_end_sharing_variables()
  call void @__kmpc_data_sharing_pop_stack(ptr %count)
  call void @__kmpc_kernel_deinit(i16 1)
  call void @llvm.nvvm.barrier0() #0
  br label %exit
exit:
  ret void
}

; The papers' form: the list is asked for with the region, the workers get it with the function.
define ptx_kernel void @published(ptr %output, i32 %threads) {
entry:
  %limit = alloca i32
  %shared_args = alloca ptr
  %role = call i32 @role(ptr %limit)
  switch i32 %role, label %exit [
    i32 0, label %worker
    i32 1, label %master
  ]
worker:
  call void @worker_shared()
  br label %exit
master:
  %thread_limit = load i32, ptr %limit
  call void @__kmpc_kernel_init(i32 %thread_limit, i16 1)
  %count = call ptr @__kmpc_data_sharing_push_stack(i64 4, i16 1)
  store i32 0, ptr %count
  call void @__kmpc_kernel_prepare_parallel_shared(ptr @wrapper_sum_shared, ptr %shared_args, i32 2)
  %list = load ptr, ptr %shared_args
  store ptr %count, ptr %list
  %second = getelementptr ptr, ptr %list, i64 1
  store ptr %output, ptr %second
  call void @llvm.nvvm.barrier0() #0
  call void @llvm.nvvm.barrier0() #0
  call void @__kmpc_end_sharing_variables()
  call void @__kmpc_push_num_threads(ptr null, i32 0, i32 %threads)
  call void @__kmpc_kernel_prepare_parallel_shared(ptr @wrapper_store_shared, ptr %shared_args, i32 2)
  %list2 = load ptr, ptr %shared_args
  store ptr %count, ptr %list2
  %second2 = getelementptr ptr, ptr %list2, i64 1
  store ptr %output, ptr %second2
  call void @llvm.nvvm.barrier0() #0
  call void @llvm.nvvm.barrier0() #0
  call void @__kmpc_end_sharing_variables()
  call void @__kmpc_data_sharing_pop_stack(ptr %count)
  call void @__kmpc_kernel_deinit(i16 1)
  call void @llvm.nvvm.barrier0() #0
  br label %exit
exit:
  ret void
}

attributes #0 = { convergent nounwind }
