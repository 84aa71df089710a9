; What a CPU has no masked instruction for is a call of a function with a loop over the lanes, where there are many.
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v3 %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=AVX2
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v4 %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=AVX512 --implicit-check-not=vgpu.lanes
; RUN: omptarget-codegen vgpu --warp-forms --emit-llvm --no-window-check --cpu x86-64-v2 %s 2>&1 \
; RUN:   | FileCheck %s --check-prefix=SSE
;
; AVX2: define hidden void @vgpu.warp.few
; AVX2: call <32 x float> @llvm.masked.gather
; AVX2: define hidden void @vgpu.warp.many
; AVX2-NOT: call {{.*}}@llvm.masked.{{gather|scatter}}
; AVX2: call {{.*}}@llvm.masked.load.v32f32
; AVX2-NOT: call {{.*}}@llvm.masked.{{gather|scatter}}
; AVX2: call void @vgpu.lanes.gather.32.i32
; AVX2-NOT: call {{.*}}@llvm.masked.{{gather|scatter}}
; AVX2: call void @vgpu.lanes.scatter.32.i32
; AVX2-NOT: call {{.*}}@llvm.masked.{{gather|scatter}}
; AVX2: ret void
; Where all lanes are active, the function asks for no lane's bit.
; AVX2: define internal void @vgpu.lanes.scatter.32.i32(ptr %items, ptr %place, i32 %mask)
; AVX2: icmp eq i32 %mask, -1
; AVX2: together:
; AVX2-NOT: cttz
; AVX2-COUNT-8: store i32
; AVX2: each:
; AVX2: call i32 @llvm.cttz.i32
; AVX512: define hidden void @vgpu.warp.many
; AVX512: call <32 x float> @llvm.masked.gather
; SSE: define hidden void @vgpu.warp.many
; SSE-NOT: call {{.*}}@llvm.masked
; SSE: call void @vgpu.lanes.load.32.i32
; SSE-NOT: call {{.*}}@llvm.masked
; SSE: call void @vgpu.lanes.gather.32.i32
; SSE-NOT: call {{.*}}@llvm.masked
; SSE: ret void
target triple = "nvptx64-nvidia-cuda"

define ptx_kernel void @few(ptr %out, ptr %in) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %tid to i64
  %at = getelementptr i64, ptr %in, i64 %i
  %j = load i64, ptr %at
  %from = getelementptr float, ptr %in, i64 %j
  %v = load float, ptr %from
  %to = getelementptr float, ptr %out, i64 %i
  store float %v, ptr %to
  ret void
}
; A list of 30 steps: each names the place of the next.
define ptx_kernel void @many(ptr %out, ptr %in, i32 %n) {
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %tid, %n
  br i1 %inside, label %do, label %end
do:
  %i = zext i32 %tid to i64
  %p0 = getelementptr float, ptr %in, i64 %i
  %v0 = load float, ptr %p0
  %j0 = fptosi float %v0 to i64
  %p1 = getelementptr float, ptr %in, i64 %j0
  %v1 = load float, ptr %p1
  %j1 = fptosi float %v1 to i64
  %p2 = getelementptr float, ptr %in, i64 %j1
  %v2 = load float, ptr %p2
  %j2 = fptosi float %v2 to i64
  %p3 = getelementptr float, ptr %in, i64 %j2
  %v3 = load float, ptr %p3
  %j3 = fptosi float %v3 to i64
  %p4 = getelementptr float, ptr %in, i64 %j3
  %v4 = load float, ptr %p4
  %j4 = fptosi float %v4 to i64
  %p5 = getelementptr float, ptr %in, i64 %j4
  %v5 = load float, ptr %p5
  %j5 = fptosi float %v5 to i64
  %p6 = getelementptr float, ptr %in, i64 %j5
  %v6 = load float, ptr %p6
  %j6 = fptosi float %v6 to i64
  %p7 = getelementptr float, ptr %in, i64 %j6
  %v7 = load float, ptr %p7
  %j7 = fptosi float %v7 to i64
  %p8 = getelementptr float, ptr %in, i64 %j7
  %v8 = load float, ptr %p8
  %j8 = fptosi float %v8 to i64
  %p9 = getelementptr float, ptr %in, i64 %j8
  %v9 = load float, ptr %p9
  %j9 = fptosi float %v9 to i64
  %p10 = getelementptr float, ptr %in, i64 %j9
  %v10 = load float, ptr %p10
  %j10 = fptosi float %v10 to i64
  %p11 = getelementptr float, ptr %in, i64 %j10
  %v11 = load float, ptr %p11
  %j11 = fptosi float %v11 to i64
  %p12 = getelementptr float, ptr %in, i64 %j11
  %v12 = load float, ptr %p12
  %j12 = fptosi float %v12 to i64
  %p13 = getelementptr float, ptr %in, i64 %j12
  %v13 = load float, ptr %p13
  %j13 = fptosi float %v13 to i64
  %p14 = getelementptr float, ptr %in, i64 %j13
  %v14 = load float, ptr %p14
  %j14 = fptosi float %v14 to i64
  %p15 = getelementptr float, ptr %in, i64 %j14
  %v15 = load float, ptr %p15
  %j15 = fptosi float %v15 to i64
  %p16 = getelementptr float, ptr %in, i64 %j15
  %v16 = load float, ptr %p16
  %j16 = fptosi float %v16 to i64
  %p17 = getelementptr float, ptr %in, i64 %j16
  %v17 = load float, ptr %p17
  %j17 = fptosi float %v17 to i64
  %p18 = getelementptr float, ptr %in, i64 %j17
  %v18 = load float, ptr %p18
  %j18 = fptosi float %v18 to i64
  %p19 = getelementptr float, ptr %in, i64 %j18
  %v19 = load float, ptr %p19
  %j19 = fptosi float %v19 to i64
  %p20 = getelementptr float, ptr %in, i64 %j19
  %v20 = load float, ptr %p20
  %j20 = fptosi float %v20 to i64
  %p21 = getelementptr float, ptr %in, i64 %j20
  %v21 = load float, ptr %p21
  %j21 = fptosi float %v21 to i64
  %p22 = getelementptr float, ptr %in, i64 %j21
  %v22 = load float, ptr %p22
  %j22 = fptosi float %v22 to i64
  %p23 = getelementptr float, ptr %in, i64 %j22
  %v23 = load float, ptr %p23
  %j23 = fptosi float %v23 to i64
  %p24 = getelementptr float, ptr %in, i64 %j23
  %v24 = load float, ptr %p24
  %j24 = fptosi float %v24 to i64
  %p25 = getelementptr float, ptr %in, i64 %j24
  %v25 = load float, ptr %p25
  %j25 = fptosi float %v25 to i64
  %p26 = getelementptr float, ptr %in, i64 %j25
  %v26 = load float, ptr %p26
  %j26 = fptosi float %v26 to i64
  %p27 = getelementptr float, ptr %in, i64 %j26
  %v27 = load float, ptr %p27
  %j27 = fptosi float %v27 to i64
  %p28 = getelementptr float, ptr %in, i64 %j27
  %v28 = load float, ptr %p28
  %j28 = fptosi float %v28 to i64
  %p29 = getelementptr float, ptr %in, i64 %j28
  %v29 = load float, ptr %p29
  %j29 = fptosi float %v29 to i64
  %p30 = getelementptr float, ptr %in, i64 %j29
  %v30 = load float, ptr %p30
  %j30 = fptosi float %v30 to i64
  %to = getelementptr float, ptr %out, i64 %j30
  store float %v30, ptr %to
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
