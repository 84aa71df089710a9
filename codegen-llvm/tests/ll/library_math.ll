; The engine resolves what the back end calls for generic intrinsics and wide arithmetic.
; RUN: omptarget-codegen vgpu -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=MANIFEST --allow-empty
; MANIFEST-NOT: error
; RUN: omptarget-codegen vgpu -O0 -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=O0 --allow-empty
; O0-NOT: error

target triple = "nvptx64-nvidia-cuda"
declare float @llvm.sin.f32(float)
declare float @llvm.cos.f32(float)
declare float @llvm.tan.f32(float)
declare float @llvm.asin.f32(float)
declare float @llvm.acos.f32(float)
declare float @llvm.atan.f32(float)
declare float @llvm.sinh.f32(float)
declare float @llvm.cosh.f32(float)
declare float @llvm.tanh.f32(float)
declare float @llvm.exp.f32(float)
declare float @llvm.exp2.f32(float)
declare float @llvm.exp10.f32(float)
declare float @llvm.log.f32(float)
declare float @llvm.log2.f32(float)
declare float @llvm.log10.f32(float)
declare float @llvm.sqrt.f32(float)
declare float @llvm.fabs.f32(float)
declare float @llvm.floor.f32(float)
declare float @llvm.ceil.f32(float)
declare float @llvm.trunc.f32(float)
declare float @llvm.rint.f32(float)
declare float @llvm.nearbyint.f32(float)
declare float @llvm.round.f32(float)
declare float @llvm.roundeven.f32(float)
declare float @llvm.pow.f32(float, float)
declare float @llvm.atan2.f32(float, float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minimum.f32(float, float)
declare float @llvm.maximumnum.f32(float, float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.ldexp.f32.i32(float, i32)
declare i64 @llvm.lround.i64.f32(float)
declare i64 @llvm.llround.i64.f32(float)
declare i64 @llvm.lrint.i64.f32(float)
declare i64 @llvm.llrint.i64.f32(float)
declare double @llvm.sin.f64(double)
declare double @llvm.cos.f64(double)
declare double @llvm.tan.f64(double)
declare double @llvm.asin.f64(double)
declare double @llvm.acos.f64(double)
declare double @llvm.atan.f64(double)
declare double @llvm.sinh.f64(double)
declare double @llvm.cosh.f64(double)
declare double @llvm.tanh.f64(double)
declare double @llvm.exp.f64(double)
declare double @llvm.exp2.f64(double)
declare double @llvm.exp10.f64(double)
declare double @llvm.log.f64(double)
declare double @llvm.log2.f64(double)
declare double @llvm.log10.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.trunc.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.nearbyint.f64(double)
declare double @llvm.round.f64(double)
declare double @llvm.roundeven.f64(double)
declare double @llvm.pow.f64(double, double)
declare double @llvm.atan2.f64(double, double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.minimum.f64(double, double)
declare double @llvm.maximumnum.f64(double, double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.ldexp.f64.i32(double, i32)
declare i64 @llvm.lround.i64.f64(double)
declare i64 @llvm.llround.i64.f64(double)
declare i64 @llvm.lrint.i64.f64(double)
declare i64 @llvm.llrint.i64.f64(double)
define ptx_kernel void @k(ptr %p, float %f, double %d, i32 %i) {
  %w = load volatile i128, ptr %p
  %v = load volatile i128, ptr %p
  %r0 = call float @llvm.sin.f32(float %f)
  store volatile float %r0, ptr %p
  %r1 = call float @llvm.cos.f32(float %f)
  store volatile float %r1, ptr %p
  %r2 = call float @llvm.tan.f32(float %f)
  store volatile float %r2, ptr %p
  %r3 = call float @llvm.asin.f32(float %f)
  store volatile float %r3, ptr %p
  %r4 = call float @llvm.acos.f32(float %f)
  store volatile float %r4, ptr %p
  %r5 = call float @llvm.atan.f32(float %f)
  store volatile float %r5, ptr %p
  %r6 = call float @llvm.sinh.f32(float %f)
  store volatile float %r6, ptr %p
  %r7 = call float @llvm.cosh.f32(float %f)
  store volatile float %r7, ptr %p
  %r8 = call float @llvm.tanh.f32(float %f)
  store volatile float %r8, ptr %p
  %r9 = call float @llvm.exp.f32(float %f)
  store volatile float %r9, ptr %p
  %r10 = call float @llvm.exp2.f32(float %f)
  store volatile float %r10, ptr %p
  %r11 = call float @llvm.exp10.f32(float %f)
  store volatile float %r11, ptr %p
  %r12 = call float @llvm.log.f32(float %f)
  store volatile float %r12, ptr %p
  %r13 = call float @llvm.log2.f32(float %f)
  store volatile float %r13, ptr %p
  %r14 = call float @llvm.log10.f32(float %f)
  store volatile float %r14, ptr %p
  %r15 = call float @llvm.sqrt.f32(float %f)
  store volatile float %r15, ptr %p
  %r16 = call float @llvm.fabs.f32(float %f)
  store volatile float %r16, ptr %p
  %r17 = call float @llvm.floor.f32(float %f)
  store volatile float %r17, ptr %p
  %r18 = call float @llvm.ceil.f32(float %f)
  store volatile float %r18, ptr %p
  %r19 = call float @llvm.trunc.f32(float %f)
  store volatile float %r19, ptr %p
  %r20 = call float @llvm.rint.f32(float %f)
  store volatile float %r20, ptr %p
  %r21 = call float @llvm.nearbyint.f32(float %f)
  store volatile float %r21, ptr %p
  %r22 = call float @llvm.round.f32(float %f)
  store volatile float %r22, ptr %p
  %r23 = call float @llvm.roundeven.f32(float %f)
  store volatile float %r23, ptr %p
  %r24 = call float @llvm.pow.f32(float %f, float %f)
  store volatile float %r24, ptr %p
  %r25 = call float @llvm.atan2.f32(float %f, float %f)
  store volatile float %r25, ptr %p
  %r26 = call float @llvm.copysign.f32(float %f, float %f)
  store volatile float %r26, ptr %p
  %r27 = call float @llvm.minnum.f32(float %f, float %f)
  store volatile float %r27, ptr %p
  %r28 = call float @llvm.maxnum.f32(float %f, float %f)
  store volatile float %r28, ptr %p
  %r29 = call float @llvm.minimum.f32(float %f, float %f)
  store volatile float %r29, ptr %p
  %r30 = call float @llvm.maximumnum.f32(float %f, float %f)
  store volatile float %r30, ptr %p
  %r31 = call float @llvm.fma.f32(float %f, float %f, float %f)
  store volatile float %r31, ptr %p
  %r32 = call float @llvm.ldexp.f32.i32(float %f, i32 %i)
  store volatile float %r32, ptr %p
  %r33 = call i64 @llvm.lround.i64.f32(float %f)
  store volatile i64 %r33, ptr %p
  %r34 = call i64 @llvm.llround.i64.f32(float %f)
  store volatile i64 %r34, ptr %p
  %r35 = call i64 @llvm.lrint.i64.f32(float %f)
  store volatile i64 %r35, ptr %p
  %r36 = call i64 @llvm.llrint.i64.f32(float %f)
  store volatile i64 %r36, ptr %p
  %r37 = call double @llvm.sin.f64(double %d)
  store volatile double %r37, ptr %p
  %r38 = call double @llvm.cos.f64(double %d)
  store volatile double %r38, ptr %p
  %r39 = call double @llvm.tan.f64(double %d)
  store volatile double %r39, ptr %p
  %r40 = call double @llvm.asin.f64(double %d)
  store volatile double %r40, ptr %p
  %r41 = call double @llvm.acos.f64(double %d)
  store volatile double %r41, ptr %p
  %r42 = call double @llvm.atan.f64(double %d)
  store volatile double %r42, ptr %p
  %r43 = call double @llvm.sinh.f64(double %d)
  store volatile double %r43, ptr %p
  %r44 = call double @llvm.cosh.f64(double %d)
  store volatile double %r44, ptr %p
  %r45 = call double @llvm.tanh.f64(double %d)
  store volatile double %r45, ptr %p
  %r46 = call double @llvm.exp.f64(double %d)
  store volatile double %r46, ptr %p
  %r47 = call double @llvm.exp2.f64(double %d)
  store volatile double %r47, ptr %p
  %r48 = call double @llvm.exp10.f64(double %d)
  store volatile double %r48, ptr %p
  %r49 = call double @llvm.log.f64(double %d)
  store volatile double %r49, ptr %p
  %r50 = call double @llvm.log2.f64(double %d)
  store volatile double %r50, ptr %p
  %r51 = call double @llvm.log10.f64(double %d)
  store volatile double %r51, ptr %p
  %r52 = call double @llvm.sqrt.f64(double %d)
  store volatile double %r52, ptr %p
  %r53 = call double @llvm.fabs.f64(double %d)
  store volatile double %r53, ptr %p
  %r54 = call double @llvm.floor.f64(double %d)
  store volatile double %r54, ptr %p
  %r55 = call double @llvm.ceil.f64(double %d)
  store volatile double %r55, ptr %p
  %r56 = call double @llvm.trunc.f64(double %d)
  store volatile double %r56, ptr %p
  %r57 = call double @llvm.rint.f64(double %d)
  store volatile double %r57, ptr %p
  %r58 = call double @llvm.nearbyint.f64(double %d)
  store volatile double %r58, ptr %p
  %r59 = call double @llvm.round.f64(double %d)
  store volatile double %r59, ptr %p
  %r60 = call double @llvm.roundeven.f64(double %d)
  store volatile double %r60, ptr %p
  %r61 = call double @llvm.pow.f64(double %d, double %d)
  store volatile double %r61, ptr %p
  %r62 = call double @llvm.atan2.f64(double %d, double %d)
  store volatile double %r62, ptr %p
  %r63 = call double @llvm.copysign.f64(double %d, double %d)
  store volatile double %r63, ptr %p
  %r64 = call double @llvm.minnum.f64(double %d, double %d)
  store volatile double %r64, ptr %p
  %r65 = call double @llvm.maxnum.f64(double %d, double %d)
  store volatile double %r65, ptr %p
  %r66 = call double @llvm.minimum.f64(double %d, double %d)
  store volatile double %r66, ptr %p
  %r67 = call double @llvm.maximumnum.f64(double %d, double %d)
  store volatile double %r67, ptr %p
  %r68 = call double @llvm.fma.f64(double %d, double %d, double %d)
  store volatile double %r68, ptr %p
  %r69 = call double @llvm.ldexp.f64.i32(double %d, i32 %i)
  store volatile double %r69, ptr %p
  %r70 = call i64 @llvm.lround.i64.f64(double %d)
  store volatile i64 %r70, ptr %p
  %r71 = call i64 @llvm.llround.i64.f64(double %d)
  store volatile i64 %r71, ptr %p
  %r72 = call i64 @llvm.lrint.i64.f64(double %d)
  store volatile i64 %r72, ptr %p
  %r73 = call i64 @llvm.llrint.i64.f64(double %d)
  store volatile i64 %r73, ptr %p
  %mfloat = frem float %f, 3.0
  store volatile float %mfloat, ptr %p
  %cafloat = fptoui float %f to i128
  store volatile i128 %cafloat, ptr %p
  %cbfloat = fptosi float %f to i128
  store volatile i128 %cbfloat, ptr %p
  %ccfloat = uitofp i128 %w to float
  store volatile float %ccfloat, ptr %p
  %cdfloat = sitofp i128 %w to float
  store volatile float %cdfloat, ptr %p
  %hfloat = fptrunc float %f to half
  store volatile half %hfloat, ptr %p
  %mdouble = frem double %d, 3.0
  store volatile double %mdouble, ptr %p
  %cadouble = fptoui double %d to i128
  store volatile i128 %cadouble, ptr %p
  %cbdouble = fptosi double %d to i128
  store volatile i128 %cbdouble, ptr %p
  %ccdouble = uitofp i128 %w to double
  store volatile double %ccdouble, ptr %p
  %cddouble = sitofp i128 %w to double
  store volatile double %cddouble, ptr %p
  %hdouble = fptrunc double %d to half
  store volatile half %hdouble, ptr %p
  %wudiv = udiv i128 %w, %v
  store volatile i128 %wudiv, ptr %p
  %wurem = urem i128 %w, %v
  store volatile i128 %wurem, ptr %p
  %wsdiv = sdiv i128 %w, %v
  store volatile i128 %wsdiv, ptr %p
  %wsrem = srem i128 %w, %v
  store volatile i128 %wsrem, ptr %p
  %wmul = mul i128 %w, %v
  store volatile i128 %wmul, ptr %p
  %wshl = shl i128 %w, %v
  store volatile i128 %wshl, ptr %p
  %wlshr = lshr i128 %w, %v
  store volatile i128 %wlshr, ptr %p
  %washr = ashr i128 %w, %v
  store volatile i128 %washr, ptr %p
  %at = atomicrmw add ptr %p, i128 1 monotonic
  %af = atomicrmw fadd ptr %p, double 1.0 monotonic
  ret void
}
