; The reduction across teams in the form that follows clang 22 (__kmpc_gpu_xteam_reduce_nowait), and lanes that a
; condition selects (__kmpc_nvptx_simd_reduce_nowait). What is reduced: { i64 +, double max }, with the functions clang
; would generate for it.
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"

%environment = type { %configuration, ptr, ptr }
%configuration = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%list = type [2 x ptr]
%record = type { i64, double }

@spmd_environment = constant %environment { %configuration { i8 0, i8 0, i8 2, i32 1, i32 -1, i32 0, i32 0, i32 16, i32 0 }, ptr null, ptr null }
@generic_environment = constant %environment { %configuration { i8 1, i8 0, i8 1, i32 1, i32 -1, i32 0, i32 0, i32 16, i32 0 }, ptr null, ptr null }
@medium = internal addrspace(3) global [32 x i64] poison, align 8

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @__kmpc_barrier(ptr, i32)
declare i64 @__kmpc_shuffle_int64(i64, i16, i16)
declare i32 @__kmpc_get_warp_size()
declare i32 @__kmpc_get_hardware_thread_id_in_block()
declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i64, ptr, ptr, ptr)
declare i32 @__kmpc_gpu_xteam_reduce_nowait(ptr, ptr, ptr, ptr, ptr, ptr, ptr)
declare i32 @__kmpc_nvptx_simd_reduce_nowait(i32, i32, i64, ptr, ptr, ptr) #0
declare i32 @omp_get_thread_num()
declare i32 @omp_get_num_threads()
declare i32 @omp_get_team_num()
declare double @llvm.maxnum.f64(double, double)

; *mine = *mine combined with the values.
define internal void @combine(ptr %list, i64 %sum, double %most) {
  %sum_at = load ptr, ptr %list
  %second = getelementptr %list, ptr %list, i64 0, i64 1
  %most_at = load ptr, ptr %second
  %old_sum = load i64, ptr %sum_at
  %new_sum = add i64 %old_sum, %sum
  store i64 %new_sum, ptr %sum_at
  %old_most = load double, ptr %most_at
  %new_most = call double @llvm.maxnum.f64(double %old_most, double %most)
  store double %new_most, ptr %most_at
  ret void
}

; *mine = the values.
define internal void @assign(ptr %list, i64 %sum, double %most) {
  %sum_at = load ptr, ptr %list
  %second = getelementptr %list, ptr %list, i64 0, i64 1
  %most_at = load ptr, ptr %second
  store i64 %sum, ptr %sum_at
  store double %most, ptr %most_at
  ret void
}

define internal i64 @sum_of(ptr %list) {
  %at = load ptr, ptr %list
  %value = load i64, ptr %at
  ret i64 %value
}

define internal double @most_of(ptr %list) {
  %second = getelementptr %list, ptr %list, i64 0, i64 1
  %at = load ptr, ptr %second
  %value = load double, ptr %at
  ret double %value
}

; (list, lane, offset, version): reductions paper, §"Reduction Algorithms".
define internal void @shuffle_and_reduce(ptr %list, i16 %lane, i16 %offset, i16 %version) {
entry:
  %warp32 = call i32 @__kmpc_get_warp_size()
  %warp = trunc i32 %warp32 to i16
  %sum = call i64 @sum_of(ptr %list)
  %far_sum = call i64 @__kmpc_shuffle_int64(i64 %sum, i16 %offset, i16 %warp)
  %most = call double @most_of(ptr %list)
  %most_bits = bitcast double %most to i64
  %far_bits = call i64 @__kmpc_shuffle_int64(i64 %most_bits, i16 %offset, i16 %warp)
  %far_most = bitcast i64 %far_bits to double
  %is_full = icmp eq i16 %version, 0
  %is_contiguous = icmp eq i16 %version, 1
  %is_low = icmp slt i16 %lane, %offset
  %folds = and i1 %is_contiguous, %is_low
  %is_dispersed = icmp eq i16 %version, 2
  %odd = and i16 %lane, 1
  %is_even = icmp eq i16 %odd, 0
  %has_partner = icmp sgt i16 %offset, 0
  %pairs0 = and i1 %is_dispersed, %is_even
  %pairs = and i1 %pairs0, %has_partner
  %combines0 = or i1 %is_full, %folds
  %combines = or i1 %combines0, %pairs
  br i1 %combines, label %combine, label %maybe
combine:
  call void @combine(ptr %list, i64 %far_sum, double %far_most)
  ret void
maybe:
  br i1 %is_contiguous, label %move, label %done
move:
  call void @assign(ptr %list, i64 %far_sum, double %far_most)
  ret void
done:
  ret void
}

; One value through the transfer medium: lane 0 of each warp gives it, the first %warps threads get one each.
define internal i64 @transfer(i64 %value, i32 %warps) {
entry:
  %thread = call i32 @__kmpc_get_hardware_thread_id_in_block()
  %warp_size = call i32 @__kmpc_get_warp_size()
  %lane = urem i32 %thread, %warp_size
  %warp = udiv i32 %thread, %warp_size
  call void @__kmpc_barrier(ptr null, i32 %thread)
  %is_first = icmp eq i32 %lane, 0
  br i1 %is_first, label %give, label %given
give:
  %to = getelementptr [32 x i64], ptr addrspace(3) @medium, i32 0, i32 %warp
  store volatile i64 %value, ptr addrspace(3) %to
  br label %given
given:
  call void @__kmpc_barrier(ptr null, i32 %thread)
  %takes = icmp ult i32 %thread, %warps
  br i1 %takes, label %take, label %taken
take:
  %from = getelementptr [32 x i64], ptr addrspace(3) @medium, i32 0, i32 %thread
  %got = load volatile i64, ptr addrspace(3) %from
  br label %taken
taken:
  %result = phi i64 [ %got, %take ], [ %value, %given ]
  ret i64 %result
}

define internal void @inter_warp_copy(ptr %list, i32 %warps) {
  %sum = call i64 @sum_of(ptr %list)
  %new_sum = call i64 @transfer(i64 %sum, i32 %warps)
  %most = call double @most_of(ptr %list)
  %bits = bitcast double %most to i64
  %new_bits = call i64 @transfer(i64 %bits, i32 %warps)
  %new_most = bitcast i64 %new_bits to double
  call void @assign(ptr %list, i64 %new_sum, double %new_most)
  ret void
}

define internal void @list_to_global(ptr %buffer, i32 %index, ptr %list) {
  %sum_at = getelementptr %record, ptr %buffer, i32 %index, i32 0
  %most_at = getelementptr %record, ptr %buffer, i32 %index, i32 1
  %sum = call i64 @sum_of(ptr %list)
  %most = call double @most_of(ptr %list)
  store i64 %sum, ptr %sum_at
  store double %most, ptr %most_at
  ret void
}

define internal void @global_to_list(ptr %buffer, i32 %index, ptr %list) {
  %sum_at = getelementptr %record, ptr %buffer, i32 %index, i32 0
  %most_at = getelementptr %record, ptr %buffer, i32 %index, i32 1
  %sum = load i64, ptr %sum_at
  %most = load double, ptr %most_at
  call void @assign(ptr %list, i64 %sum, double %most)
  ret void
}

define internal void @global_into_list(ptr %buffer, i32 %index, ptr %list) {
  %sum_at = getelementptr %record, ptr %buffer, i32 %index, i32 0
  %most_at = getelementptr %record, ptr %buffer, i32 %index, i32 1
  %sum = load i64, ptr %sum_at
  %most = load double, ptr %most_at
  call void @combine(ptr %list, i64 %sum, double %most)
  ret void
}

; The parallel region of a team: thread t contributes t + 1 to the sum and 1000 * team + t to the maximum.
define internal void @outlined_parallel(ptr noalias %thread_at, ptr noalias %bound, ptr %team_sum, ptr %team_most) {
entry:
  %sum_at = alloca i64
  %most_at = alloca double
  %list = alloca %list
  %thread = call i32 @omp_get_thread_num()
  %team = call i32 @omp_get_team_num()
  %more = add i32 %thread, 1
  %more64 = zext i32 %more to i64
  store i64 %more64, ptr %sum_at
  %thousands = mul i32 %team, 1000
  %mark = add i32 %thousands, %thread
  %most = sitofp i32 %mark to double
  store double %most, ptr %most_at
  store ptr %sum_at, ptr %list
  %second = getelementptr %list, ptr %list, i64 0, i64 1
  store ptr %most_at, ptr %second
  %won = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null, i64 16, ptr %list, ptr @shuffle_and_reduce, ptr @inter_warp_copy)
  %is_winner = icmp eq i32 %won, 1
  br i1 %is_winner, label %keep, label %done
keep:
  %all = load i64, ptr %sum_at
  store i64 %all, ptr %team_sum
  %top = load double, ptr %most_at
  store double %top, ptr %team_most
  br label %done
done:
  ret void
}

; The end of both kernels: the teams' values, to output[0] and output[1]; how many threads got 1 to output[2].
define internal void @across_teams(ptr %sum_at, ptr %most_at, ptr %output) {
entry:
  %list = alloca %list
  store ptr %sum_at, ptr %list
  %second = getelementptr %list, ptr %list, i64 0, i64 1
  store ptr %most_at, ptr %second
  %won = call i32 @__kmpc_gpu_xteam_reduce_nowait(ptr null, ptr %list, ptr @shuffle_and_reduce, ptr @inter_warp_copy, ptr @list_to_global, ptr @global_to_list, ptr @global_into_list)
  %is_winner = icmp eq i32 %won, 1
  br i1 %is_winner, label %keep, label %done
keep:
  %sum = load i64, ptr %sum_at
  %old = load i64, ptr %output
  %new = add i64 %old, %sum
  store i64 %new, ptr %output
  %most = load double, ptr %most_at
  %most_to = getelementptr i64, ptr %output, i64 1
  store double %most, ptr %most_to
  %winners = getelementptr i64, ptr %output, i64 2
  %count = atomicrmw add ptr %winners, i64 1 monotonic
  br label %done
done:
  ret void
}

; As `target teams distribute parallel for` makes it: all threads of a team come to the reduction across teams.
define ptx_kernel void @spmd(ptr %launch, ptr %output) {
entry:
  %sum_at = alloca i64
  %most_at = alloca double
  %arguments = alloca [2 x ptr]
  %role = call i32 @__kmpc_target_init(ptr @spmd_environment, ptr %launch)
  %runs = icmp eq i32 %role, -1
  br i1 %runs, label %region, label %exit
region:
  store i64 0, ptr %sum_at
  store double 0.0, ptr %most_at
  store ptr %sum_at, ptr %arguments
  %second = getelementptr [2 x ptr], ptr %arguments, i64 0, i64 1
  store ptr %most_at, ptr %second
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @outlined_parallel, ptr null, ptr %arguments, i64 2, i32 0)
  call void @across_teams(ptr %sum_at, ptr %most_at, ptr %output)
  call void @__kmpc_target_deinit()
  br label %exit
exit:
  ret void
}

; As `target teams distribute` makes it: the master alone.
define ptx_kernel void @generic(ptr %launch, ptr %output) {
entry:
  %sum_at = alloca i64
  %most_at = alloca double
  %role = call i32 @__kmpc_target_init(ptr @generic_environment, ptr %launch)
  %runs = icmp eq i32 %role, -1
  br i1 %runs, label %region, label %exit
region:
  %team = call i32 @omp_get_team_num()
  %team64 = zext i32 %team to i64
  store i64 %team64, ptr %sum_at
  %most = uitofp i32 %team to double
  store double %most, ptr %most_at
  call void @across_teams(ptr %sum_at, ptr %most_at, ptr %output)
  call void @__kmpc_target_deinit()
  br label %exit
exit:
  ret void
}

; The lanes of each warp that %set names reduce; the winner stores the sum of their numbers into output[warp].
define internal void @outlined_split(ptr noalias %thread_at, ptr noalias %bound, ptr %output, ptr %set_at) {
entry:
  %sum_at = alloca i64
  %most_at = alloca double
  %list = alloca %list
  %thread = call i32 @omp_get_thread_num()
  %warp_size = call i32 @__kmpc_get_warp_size()
  %lane = urem i32 %thread, %warp_size
  %lane64 = zext i32 %lane to i64
  store i64 %lane64, ptr %sum_at
  %most = uitofp i32 %lane to double
  store double %most, ptr %most_at
  store ptr %sum_at, ptr %list
  %second = getelementptr %list, ptr %list, i64 0, i64 1
  store ptr %most_at, ptr %second
  %set = load i64, ptr %set_at
  %shifted = lshr i64 %set, %lane64
  %bit = and i64 %shifted, 1
  %is_in = icmp eq i64 %bit, 1
  br i1 %is_in, label %in, label %done
in:
  %won = call i32 @__kmpc_nvptx_simd_reduce_nowait(i32 %thread, i32 2, i64 16, ptr %list, ptr @shuffle_and_reduce, ptr @inter_warp_copy) #0
  %is_winner = icmp eq i32 %won, 1
  br i1 %is_winner, label %keep, label %done
keep:
  %warp = udiv i32 %thread, %warp_size
  %slot = getelementptr i64, ptr %output, i32 %warp
  %sum = load i64, ptr %sum_at
  %old = load i64, ptr %slot
  %new = add i64 %old, %sum
  store i64 %new, ptr %slot
  br label %done
done:
  ret void
}

define ptx_kernel void @split(ptr %launch, ptr %output, ptr %set_at) {
entry:
  %arguments = alloca [2 x ptr]
  %role = call i32 @__kmpc_target_init(ptr @spmd_environment, ptr %launch)
  %runs = icmp eq i32 %role, -1
  br i1 %runs, label %region, label %exit
region:
  store ptr %output, ptr %arguments
  %second = getelementptr [2 x ptr], ptr %arguments, i64 0, i64 1
  store ptr %set_at, ptr %second
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @outlined_split, ptr null, ptr %arguments, i64 2, i32 0)
  call void @__kmpc_target_deinit()
  br label %exit
exit:
  ret void
}

attributes #0 = { convergent }
