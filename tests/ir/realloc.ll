; The functions that PTX gets for a program that calls realloc (codegen-llvm/src/device/realloc.ll): each thread grows a block from 1
; to 1,000 numbers, which keeps them; a block that shrinks stays; what cannot be had leaves the old block.
;
; output[thread] is the number of mistakes, output[threads + thread] what the grown block held in the end, summed up.
target triple = "nvptx64-nvidia-cuda"

declare ptr @omptarget.malloc(i64)
declare ptr @omptarget.realloc(ptr, i64)
declare void @omptarget.free(ptr)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()

define ptx_kernel void @grow(ptr %output) {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  br label %next
next:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %block = phi ptr [ null, %entry ], [ %grown, %next ]
  %i.next = add i32 %i, 1
  %i64 = zext i32 %i to i64
  %bytes = shl i64 %i64, 2
  %all = add i64 %bytes, 4
  %grown = call ptr @omptarget.realloc(ptr %block, i64 %all)
  %place = getelementptr i8, ptr %grown, i64 %bytes
  %value = add i32 %i, %thread
  store i32 %value, ptr %place
  %more = icmp ult i32 %i.next, 1000
  br i1 %more, label %next, label %shrink
shrink:
  %smaller = call ptr @omptarget.realloc(ptr %grown, i64 40)
  %moved = icmp ne ptr %smaller, %grown
  %moved32 = zext i1 %moved to i32
  %huge = call ptr @omptarget.realloc(ptr %smaller, i64 -17)
  %had = icmp ne ptr %huge, null
  %had32 = zext i1 %had to i32
  %over = call ptr @omptarget.malloc(i64 -1)
  %overflowed = icmp ne ptr %over, null
  %overflowed32 = zext i1 %overflowed to i32
  %address = ptrtoint ptr %smaller to i64
  %rest = and i64 %address, 15
  %unaligned = icmp ne i64 %rest, 0
  %unaligned32 = zext i1 %unaligned to i32
  br label %sum
sum:
  %k = phi i64 [ 0, %shrink ], [ %k.next, %sum ]
  %total = phi i32 [ 0, %shrink ], [ %total.next, %sum ]
  %at = getelementptr i32, ptr %smaller, i64 %k
  %found = load i32, ptr %at
  %total.next = add i32 %total, %found
  %k.next = add i64 %k, 1
  %again = icmp ult i64 %k.next, 1000
  br i1 %again, label %sum, label %done
done:
  call void @omptarget.free(ptr %smaller)
  call void @omptarget.free(ptr null)
  %mistakes.1 = add i32 %moved32, %had32
  %mistakes.2 = add i32 %mistakes.1, %overflowed32
  %mistakes = add i32 %mistakes.2, %unaligned32
  %thread64 = zext i32 %thread to i64
  %slot = getelementptr i32, ptr %output, i64 %thread64
  store i32 %mistakes, ptr %slot
  %second = add i32 %threads, %thread
  %second64 = zext i32 %second to i64
  %slot.2 = getelementptr i32, ptr %output, i64 %second64
  store i32 %total.next, ptr %slot.2
  ret void
}
