; The heap of programs that call realloc, on a heap that has malloc and free only: 16 bytes in front of a block hold its
; size, so blocks stay aligned as the heap aligns them.

target triple = "nvptx64-nvidia-cuda"

define ptr @omptarget.malloc(i64 %bytes) {
  %sum = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %bytes, i64 16)
  %too.large = extractvalue { i64, i1 } %sum, 1
  br i1 %too.large, label %none, label %take
take:
  %all = extractvalue { i64, i1 } %sum, 0
  %block = call ptr @malloc(i64 %all)
  %is.null = icmp eq ptr %block, null
  br i1 %is.null, label %none, label %keep
keep:
  store i64 %bytes, ptr %block, align 16
  %pointer = getelementptr inbounds i8, ptr %block, i64 16
  ret ptr %pointer
none:
  ret ptr null
}

define void @omptarget.free(ptr %pointer) {
  %is.null = icmp eq ptr %pointer, null
  br i1 %is.null, label %done, label %release
release:
  %block = getelementptr inbounds i8, ptr %pointer, i64 -16
  call void @free(ptr %block)
  br label %done
done:
  ret void
}

; A block that is large enough stays where it is; without memory for a larger one, too.
define ptr @omptarget.realloc(ptr %old, i64 %bytes) {
  %is.null = icmp eq ptr %old, null
  br i1 %is.null, label %fresh, label %look
fresh:
  %first = call ptr @omptarget.malloc(i64 %bytes)
  ret ptr %first
look:
  %block = getelementptr inbounds i8, ptr %old, i64 -16
  %held = load i64, ptr %block, align 16
  %fits = icmp ule i64 %bytes, %held
  br i1 %fits, label %stay, label %move
stay:
  ret ptr %old
move:
  %new = call ptr @omptarget.malloc(i64 %bytes)
  %none = icmp eq ptr %new, null
  br i1 %none, label %fail, label %copy
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %new, ptr align 16 %old, i64 %held, i1 false)
  call void @free(ptr %block)
  ret ptr %new
fail:
  ret ptr null
}

declare ptr @malloc(i64)
declare void @free(ptr)
declare { i64, i1 } @llvm.uadd.with.overflow.i64(i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1 immarg)
