; Which loops over shared memory have a warp form: a compare-and-swap that continues with what it found; one thread that
; waits for another block; a loop in which every iteration passes one of two barriers; and one that a counter ends, also
; a counter in memory if each iteration takes a number from it (`numbers`; not if it only reads, or only some iterations
; take one). A lock has none, as a lane of the same warp may hold it, but where one thread takes it for its block
; (`guarded`).
; RUN: omptarget-codegen vgpu --warp-forms --no-window-check %s 2>&1 | FileCheck %s --check-prefix=MANIFEST
; MANIFEST: "name":"retry"
; MANIFEST-SAME: "warp":{"Present"
; MANIFEST-SAME: "name":"blocks"
; MANIFEST-SAME: "warp":{"Present"
; MANIFEST-SAME: "name":"lock"
; MANIFEST-SAME: "warp":{"Absent":"a loop waits on memory that other threads write
; MANIFEST-SAME: "name":"rounds"
; MANIFEST-SAME: "warp":{"Present"
; MANIFEST-SAME: "name":"counted"
; MANIFEST-SAME: "warp":{"Present"
; MANIFEST-SAME: "name":"flushed"
; MANIFEST-SAME: "warp":{"Absent":"a loop waits
; MANIFEST-SAME: "name":"handed"
; MANIFEST-SAME: "warp":{"Absent":"a loop waits
; MANIFEST-SAME: "name":"numbers"
; MANIFEST-SAME: "warp":{"Present"
; MANIFEST-SAME: "name":"reads"
; MANIFEST-SAME: "warp":{"Absent":"a loop waits
; MANIFEST-SAME: "name":"some"
; MANIFEST-SAME: "warp":{"Absent":"a loop waits
; MANIFEST-SAME: "name":"taken"
; MANIFEST-SAME: "warp":{"Absent":"a loop waits
; MANIFEST-SAME: "name":"guarded"
; MANIFEST-SAME: "warp":{"Present"
; A loop that waits for another block lets the other warps of its own block run.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check -O1 %s 2>&1 | FileCheck %s --check-prefix=IR
; IR: define hidden void @vgpu.warp.retry
; IR: cmpxchg
; IR: define hidden void @vgpu.warp.blocks
; IR: load atomic
; IR: call void @vgpu_spin(ptr{{.*}}%0, i32
; IR: define hidden void @vgpu.warp.rounds
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @retry(ptr %sum, float %term) {
entry:
  %first = load i32, ptr %sum
  br label %iteration
iteration:
  %seen = phi i32 [ %first, %entry ], [ %found, %iteration ]
  %old = bitcast i32 %seen to float
  %new = fadd float %old, %term
  %bits = bitcast float %new to i32
  %both = cmpxchg ptr %sum, i32 %seen, i32 %bits monotonic monotonic
  %found = extractvalue { i32, i1 } %both, 0
  %done = extractvalue { i32, i1 } %both, 1
  br i1 %done, label %end, label %iteration
end:
  ret void
}
define ptx_kernel void @blocks(ptr addrspace(1) %flag) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %chosen = icmp eq i32 %tid, 0
  br i1 %chosen, label %one, label %end
one:
  br label %iteration
iteration:
  %v = load atomic i32, ptr addrspace(1) %flag monotonic, align 4
  %set = icmp ne i32 %v, 0
  br i1 %set, label %reset, label %iteration
reset:
  store atomic i32 0, ptr addrspace(1) %flag monotonic, align 4
  br label %end
end:
  ret void
}
define ptx_kernel void @lock(ptr %word) {
entry:
  br label %iteration
iteration:
  %both = cmpxchg ptr %word, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %both, 1
  br i1 %done, label %end, label %iteration
end:
  store atomic i32 0, ptr %word monotonic, align 4
  ret void
}
define ptx_kernel void @rounds(ptr %flag, i32 %all) {
entry:
  %some = icmp eq i32 %all, 64
  br label %iteration
iteration:
  %v = load atomic i32, ptr %flag monotonic, align 4
  br i1 %some, label %named, label %block
named:
  call void @llvm.nvvm.barrier.cta.sync.count(i32 1, i32 64)
  br label %next
block:
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  br label %next
next:
  %set = icmp ne i32 %v, 0
  br i1 %set, label %end, label %iteration
end:
  ret void
}
define ptx_kernel void @counted(ptr %sum, ptr %bound) {
entry:
  br label %iteration
iteration:
  %i = phi i32 [ 0, %entry ], [ %next, %iteration ]
  %old = atomicrmw add ptr %sum, i32 1 seq_cst
  fence seq_cst
  %most = load i32, ptr %bound
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %most
  br i1 %more, label %iteration, label %end
end:
  ret void
}
define ptx_kernel void @flushed(ptr %flag) {
entry:
  br label %iteration
iteration:
  fence seq_cst
  %v = load i32, ptr %flag
  %set = icmp ne i32 %v, 0
  br i1 %set, label %end, label %iteration
end:
  ret void
}
; Thread 0 waits for thread 1 of its own warp.
define ptx_kernel void @handed(ptr addrspace(1) %flag) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %tid, 0
  br i1 %first, label %poll, label %others
poll:
  br label %iteration
iteration:
  %v = load atomic i32, ptr addrspace(1) %flag monotonic, align 4
  %set = icmp ne i32 %v, 0
  br i1 %set, label %end, label %iteration
others:
  %second = icmp eq i32 %tid, 1
  br i1 %second, label %give, label %end
give:
  store atomic i32 1, ptr addrspace(1) %flag monotonic, align 4
  br label %end
end:
  ret void
}
define ptx_kernel void @numbers(ptr addrspace(1) %next, ptr %out, i32 %count) {
entry:
  br label %iteration
iteration:
  %again = getelementptr i8, ptr addrspace(1) %next, i64 8
  %number = atomicrmw add ptr addrspace(1) %again, i32 1 monotonic
  %more = icmp ult i32 %number, %count
  br i1 %more, label %body, label %end
body:
  %at = getelementptr i32, ptr %out, i32 %number
  store i32 1, ptr %at
  br label %iteration
end:
  ret void
}
define ptx_kernel void @reads(ptr addrspace(1) %next, ptr %out, i32 %count) {
entry:
  br label %iteration
iteration:
  %number = atomicrmw add ptr addrspace(1) %next, i32 0 monotonic
  %more = icmp ult i32 %number, %count
  br i1 %more, label %iteration, label %end
end:
  ret void
}
define ptx_kernel void @some(ptr addrspace(1) %next, ptr %out, i32 %count) {
entry:
  br label %iteration
iteration:
  %seen = load atomic i32, ptr addrspace(1) %next monotonic, align 4
  %more = icmp ult i32 %seen, %count
  br i1 %more, label %body, label %end
body:
  %odd = trunc i32 %seen to i1
  br i1 %odd, label %take, label %iteration.end
take:
  %number = atomicrmw add ptr addrspace(1) %next, i32 1 monotonic
  %at = getelementptr i32, ptr %out, i32 %number
  store i32 1, ptr %at
  br label %iteration.end
iteration.end:
  br label %iteration
end:
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.count(i32, i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; A lane waits behind a branch on the result of a compare-and-swap instead of a comparison.
define ptx_kernel void @taken(ptr %lock, ptr %flag) {
  %pair = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %wait, label %end
wait:
  %seen = load atomic i32, ptr %flag monotonic, align 4
  %set = icmp ne i32 %seen, 0
  br i1 %set, label %end, label %wait
end:
  ret void
}
define ptx_kernel void @guarded(ptr %word, ptr %sum) {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %chosen = icmp eq i32 %tid, 0
  br i1 %chosen, label %iteration, label %held
iteration:
  %both = cmpxchg ptr %word, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %both, 1
  br i1 %done, label %held, label %iteration
held:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %place = getelementptr i32, ptr %sum, i32 %tid
  %old = load i32, ptr %place
  %new = add i32 %old, 1
  store i32 %new, ptr %place
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %chosen, label %release, label %end
release:
  store atomic i32 0, ptr %word monotonic, align 4
  br label %end
end:
  ret void
}
