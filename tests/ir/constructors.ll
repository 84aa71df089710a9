; What LLVM's pass nvptx-lower-ctor-dtor makes of constructors and destructors (LLVM 22), for two of each: constants that name the functions
; and their priorities, an array that the host makes, kernels that call what is in it, the destructors from its end.
;
; Each constructor adds a digit to `order`; each destructor does so where `ended` points.
target triple = "nvptx64-nvidia-cuda"

@order = addrspace(1) global i32 0
@ended = addrspace(1) global ptr null

@__init_array_object_second_f00d_65535 = protected addrspace(4) constant ptr @second
@__init_array_object_first_f00d_101 = protected addrspace(4) constant ptr @first
@__fini_array_object_last_f00d_101 = protected addrspace(4) constant ptr @last
@__fini_array_object_next_f00d_65535 = protected addrspace(4) constant ptr @next

@__init_array_start = weak protected addrspace(1) global ptr addrspace(1) null
@__init_array_end = weak protected addrspace(1) global ptr addrspace(1) null
@__fini_array_start = weak protected addrspace(1) global ptr addrspace(1) null
@__fini_array_end = weak protected addrspace(1) global ptr addrspace(1) null

define internal void @digit(ptr %number, i32 %digit) {
  %before = load i32, ptr %number
  %shifted = mul i32 %before, 10
  %after = add i32 %shifted, %digit
  store i32 %after, ptr %number
  ret void
}

define internal void @first() {
  call void @digit(ptr addrspacecast (ptr addrspace(1) @order to ptr), i32 1)
  ret void
}

define internal void @second() {
  call void @digit(ptr addrspacecast (ptr addrspace(1) @order to ptr), i32 2)
  ret void
}

define internal void @next() {
  %number = load ptr, ptr addrspace(1) @ended
  call void @digit(ptr %number, i32 3)
  ret void
}

define internal void @last() {
  %number = load ptr, ptr addrspace(1) @ended
  call void @digit(ptr %number, i32 4)
  ret void
}

define weak_odr protected ptx_kernel void @"nvptx$device$init"() {
entry:
  %start = load ptr addrspace(1), ptr addrspace(1) @__init_array_start
  %end = load ptr addrspace(1), ptr addrspace(1) @__init_array_end
  br label %check
check:
  %at = phi ptr addrspace(1) [ %start, %entry ], [ %after, %call ]
  %more = icmp ne ptr addrspace(1) %at, %end
  br i1 %more, label %call, label %done
call:
  %function = load ptr, ptr addrspace(1) %at
  call void %function()
  %after = getelementptr ptr, ptr addrspace(1) %at, i64 1
  br label %check
done:
  ret void
}

define weak_odr protected ptx_kernel void @"nvptx$device$fini"() {
entry:
  %start = load ptr addrspace(1), ptr addrspace(1) @__fini_array_start
  %end = load ptr addrspace(1), ptr addrspace(1) @__fini_array_end
  br label %check
check:
  %at = phi ptr addrspace(1) [ %end, %entry ], [ %before, %call ]
  %more = icmp ne ptr addrspace(1) %at, %start
  br i1 %more, label %call, label %done
call:
  %before = getelementptr ptr, ptr addrspace(1) %at, i64 -1
  %function = load ptr, ptr addrspace(1) %before
  call void %function()
  br label %check
done:
  ret void
}
