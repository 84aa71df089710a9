; The sharing paper's data sharing (§5.1, Fig. 2 to 4) with any number of references: the list the runtime keeps in
; shared memory holds 20 of them (§5.2), a longer one lives on the device heap.
;
; The master has `count` variables, variable i with 3 i + 1 in it. Every thread of the region sums them up into
; output[thread]; thread 0 then doubles each. The master stores the sum it finds afterwards into output[1023].
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

declare i32 @__kmpc_get_hardware_thread_id_in_block()
declare i32 @__kmpc_get_hardware_num_threads_in_block()
declare void @__kmpc_kernel_init(i32, i16)
declare void @__kmpc_kernel_deinit(i16)
declare void @__kmpc_kernel_prepare_parallel_shared(ptr, ptr, i32)
declare zeroext i1 @__kmpc_kernel_parallel_shared(ptr, ptr)
declare void @__kmpc_kernel_end_parallel()
declare void @__kmpc_end_sharing_variables()
declare ptr @__kmpc_data_sharing_push_stack(i64, i16)
declare void @__kmpc_data_sharing_pop_stack(ptr)
declare void @__kmpc_barrier(ptr, i32)
declare i32 @omp_get_thread_num()
declare void @llvm.nvvm.barrier0() #0

; The sum of the variables behind references 0 … count - 1.
define internal i64 @sum(ptr %list, i64 %count) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.next, %add ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %add ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %add, label %done
add:
  %reference = getelementptr ptr, ptr %list, i64 %i
  %variable = load ptr, ptr %reference
  %value = load i64, ptr %variable
  %sum.next = add i64 %sum, %value
  %i.next = add i64 %i, 1
  br label %next
done:
  ret i64 %sum
}

; The outlined region: references, their number, output.
define internal void @outlined(ptr %list, i64 %count, ptr %output) {
entry:
  %thread = call i32 @omp_get_thread_num()
  %sum = call i64 @sum(ptr %list, i64 %count)
  %thread64 = zext i32 %thread to i64
  %slot = getelementptr i64, ptr %output, i64 %thread64
  store i64 %sum, ptr %slot
  call void @__kmpc_barrier(ptr null, i32 %thread)
  %is_first = icmp eq i32 %thread, 0
  br i1 %is_first, label %next, label %done
next:
  %i = phi i64 [ 0, %entry ], [ %i.next, %double ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %double, label %done
double:
  %reference = getelementptr ptr, ptr %list, i64 %i
  %variable = load ptr, ptr %reference
  %value = load i64, ptr %variable
  %twice = shl i64 %value, 1
  store i64 %twice, ptr %variable
  %i.next = add i64 %i, 1
  br label %next
done:
  ret void
}

; The wrapper of Fig. 4: the list ends with the output and the number of variables.
define internal void @wrapper(i16 %level, i32 %thread, ptr %list) {
  %output = load ptr, ptr %list
  %at_count = getelementptr ptr, ptr %list, i64 1
  %count = load i64, ptr %at_count
  %variables = getelementptr ptr, ptr %list, i64 2
  call void @outlined(ptr %variables, i64 %count, ptr %output)
  ret void
}

; Fig. 3.
define internal void @worker() {
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

; Fig. 2.
define ptx_kernel void @share(ptr %output, i64 %count) {
entry:
  %shared_args = alloca ptr
  %thread = call i32 @__kmpc_get_hardware_thread_id_in_block()
  %threads = call i32 @__kmpc_get_hardware_num_threads_in_block()
  %thread_limit = sub i32 %threads, 32
  %is_worker = icmp ult i32 %thread, %thread_limit
  br i1 %is_worker, label %worker, label %mastercheck
worker:
  call void @worker()
  br label %exit
mastercheck:
  %last = sub i32 %threads, 1
  %master_tid = and i32 %last, -32
  %is_master = icmp eq i32 %thread, %master_tid
  br i1 %is_master, label %master, label %exit
master:
  call void @__kmpc_kernel_init(i32 %thread_limit, i16 1)
  %all64 = add i64 %count, 2
  %all = trunc i64 %all64 to i32
  call void @__kmpc_kernel_prepare_parallel_shared(ptr @wrapper, ptr %shared_args, i32 %all)
  %list = load ptr, ptr %shared_args
  store ptr %output, ptr %list
  %at_count = getelementptr ptr, ptr %list, i64 1
  store i64 %count, ptr %at_count
  %variables = getelementptr ptr, ptr %list, i64 2
  br label %fill
fill:
  %i = phi i64 [ 0, %master ], [ %i.next, %push ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %push, label %run
push:
  %variable = call ptr @__kmpc_data_sharing_push_stack(i64 8, i16 1)
  %thrice = mul i64 %i, 3
  %value = add i64 %thrice, 1
  store i64 %value, ptr %variable
  %reference = getelementptr ptr, ptr %variables, i64 %i
  store ptr %variable, ptr %reference
  %i.next = add i64 %i, 1
  br label %fill
run:
  call void @llvm.nvvm.barrier0() #0
  call void @llvm.nvvm.barrier0() #0
  %sum = call i64 @sum(ptr %variables, i64 %count)
  %at_sum = getelementptr i64, ptr %output, i64 1023
  store i64 %sum, ptr %at_sum
  br label %clear
clear:
  %left = phi i64 [ %count, %run ], [ %left.next, %pop ]
  %any = icmp ugt i64 %left, 0
  br i1 %any, label %pop, label %end
pop:
  %left.next = sub i64 %left, 1
  %popped = getelementptr ptr, ptr %variables, i64 %left.next
  %storage = load ptr, ptr %popped
  call void @__kmpc_data_sharing_pop_stack(ptr %storage)
  br label %clear
end:
  call void @__kmpc_end_sharing_variables()
  call void @__kmpc_kernel_deinit(i16 1)
  call void @llvm.nvvm.barrier0() #0
  br label %exit
exit:
  ret void
}

attributes #0 = { convergent nounwind }
