; Kernels for tests of the HSA runtime's rules (tests/programs/hsa_rules.c).
target triple = "amdgcn-amd-amdhsa"

@counter = protected addrspace(1) externally_initialized global i32 7
@shared = internal addrspace(3) global [64 x i32] poison

; to[i] += value for i below count.
define protected amdgpu_kernel void @add(ptr addrspace(1) %to, i32 %value, i64 %count) #0 {
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %group = call i32 @llvm.amdgcn.workgroup.id.x()
  %implicit = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %size.at = getelementptr i8, ptr addrspace(4) %implicit, i64 12
  %size.16 = load i16, ptr addrspace(4) %size.at
  %size = zext i16 %size.16 to i32
  %before = mul i32 %group, %size
  %i.32 = add i32 %before, %item
  %i = zext i32 %i.32 to i64
  %inside = icmp ult i64 %i, %count
  br i1 %inside, label %do, label %done
do:
  %at = getelementptr i32, ptr addrspace(1) %to, i64 %i
  %old = load i32, ptr addrspace(1) %at
  %new = add i32 %old, %value
  store i32 %new, ptr addrspace(1) %at
  br label %done
done:
  ret void
}

; Goes on when the number at `flag` is not 0.
define protected amdgpu_kernel void @wait(ptr addrspace(1) %flag) #0 {
  br label %again
again:
  %now = load atomic i32, ptr addrspace(1) %flag syncscope("one-as") monotonic, align 4
  %zero = icmp eq i32 %now, 0
  br i1 %zero, label %again, label %done
done:
  ret void
}

; Has 256 bytes of LDS.
define protected amdgpu_kernel void @share(ptr addrspace(1) %to) #0 {
  %item = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr [64 x i32], ptr addrspace(3) @shared, i32 0, i32 %item
  store volatile i32 %item, ptr addrspace(3) %at
  %back = load volatile i32, ptr addrspace(3) %at
  store i32 %back, ptr addrspace(1) %to
  ret void
}

define protected amdgpu_kernel void @trap() #0 {
  call void @llvm.trap()
  unreachable
}

; Follows an address that is a number here.
define protected amdgpu_kernel void @follow(i64 %address) #0 {
  %at = inttoptr i64 %address to ptr addrspace(1)
  store i32 1, ptr addrspace(1) %at
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare void @llvm.trap()

attributes #0 = { "amdgpu-flat-work-group-size"="1,256" "uniform-work-group-size"="true" }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
