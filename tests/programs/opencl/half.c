// Half precision (cl_khr_fp16), and functions whose results for zeros, infinities and denormal numbers are exact.

#include "setup.h"

static const char *source =
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#define CHECK(condition) if (!(condition)) wrong[atomic_inc(count)] = __LINE__\n"
    "kernel void halves(global half *data, global int *count, global int *wrong) {\n"
    "    half x = data[0], y = data[1];\n"
    "    CHECK(x + y == (half)4.0f && x * y == (half)3.75f && x / (half)3.0f == (half)0.5f);\n"
    "    CHECK(as_short(nextafter(x, y)) == as_short(x) + 1);\n"
    "    CHECK(as_short(nextafter((half)0.0f, (half)-1.0f)) == (short)0x8001);\n"
    "    half4 v = vload4(0, data);\n"
    "    CHECK(all(v.xy == (half2)(x, y)) && all(isequal(sqrt(v * v), fabs(v))));\n"
    "    CHECK(all(convert_int4_rtz(v) == (int4)(1, 2, -7, 100)));\n"
    "    CHECK(convert_half_rtz(2049) == (half)2048.0f && convert_half_rtp(2049) == (half)2050.0f);\n"
    "    CHECK(as_short(convert_half_rtp(1.0e-300)) == 1 && as_short(convert_half_rtn(-1.0e-300)) == (short)0x8001);\n"
    "    CHECK(isinf(convert_half(70000)) && as_short(convert_half_rtz(70000u)) == 0x7bff);\n"
    "    CHECK(as_short(fma((half)0x1.004p+0f, (half)1.5f, (half)-0x1p-24f)) == 0x3e01);\n"
    "    half whole;\n"
    "    CHECK(fract((half)-0x1p-20f, &whole) == (half)0x1.ffcp-1f && whole == (half)-1.0f);\n"
    "    CHECK(all(select(v, -v, (short4)(0, -1, 0, -1)) == (half4)(v.x, -v.y, v.z, -v.w)));\n"
    "    vstore4(v + (half)1.0f, 0, data);\n"
    "}\n"
    "kernel void exact(global int *count, global int *wrong, float tiny) {\n"
    "    CHECK(exp2(-140.0f) == tiny && erfc(9.3f) > 0.0f);\n"
    "    CHECK(ldexp(tiny, 1000000000) == INFINITY && isnan(ldexp((double)NAN, 5)));\n"
    "    CHECK(all(isinf((float2)(-INFINITY, 1.0f)) == (int2)(-1, 0)));\n"
    "    CHECK(all(cosh((double2)(-1e300, 0.0)) == (double2)(INFINITY, 1.0)));\n"
    "    CHECK(all(atan2pi((double2)(-INFINITY, 0.0), (double2)(-INFINITY, 1.0)) == (double2)(-0.75, 0.0)));\n"
    "    CHECK(as_int(cospi(2.5f)) == 0 && as_int(tanpi(1.0f)) == (int)0x80000000);\n"
    "    CHECK(as_long(atanpi(-0.0)) == (long)0x8000000000000000UL);\n"
    "    CHECK(fabs(lgamma(0.5f) - 0.572364943f) < 1e-6f);\n"
    "    CHECK(fmod(tiny, 1.0f) == tiny && fmod(-1.0f, 5 * tiny) == -tiny);\n"
    "    int quotient;\n"
    "    CHECK(remquo(-201 * tiny, tiny * 2, &quotient) == -tiny && quotient == -100);\n"
    "    CHECK(all(remainder((float2)(3 * tiny, 7.0f), (float2)(2 * tiny, 4.0f)) == (float2)(-tiny, -1.0f)));\n"
    "}\n";

int main(void) {
    set_up(0);
    cl_program program = build(source, "-cl-std=CL3.0");
    cl_half data[] = {0x3e00, 0x4100, 0xc700, 0x5640}; // 1.5, 2.5, -7, 100
    int count = 0, wrong[64] = {0};
    cl_mem halves = buffer_of(data, sizeof data);
    cl_mem counter = buffer_of(&count, sizeof count), lines = buffer_of(wrong, sizeof wrong);
    cl_kernel kernel = kernel_of(program, "halves");
    OK(clSetKernelArg(kernel, 0, sizeof halves, &halves));
    OK(clSetKernelArg(kernel, 1, sizeof counter, &counter));
    OK(clSetKernelArg(kernel, 2, sizeof lines, &lines));
    run(kernel, 1, 1);
    cl_kernel exact = kernel_of(program, "exact");
    float tiny = 0x1p-140f;
    OK(clSetKernelArg(exact, 0, sizeof counter, &counter));
    OK(clSetKernelArg(exact, 1, sizeof lines, &lines));
    OK(clSetKernelArg(exact, 2, sizeof tiny, &tiny));
    run(exact, 1, 1);
    OK(clEnqueueReadBuffer(queue, counter, CL_TRUE, 0, sizeof count, &count, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, lines, CL_TRUE, 0, sizeof wrong, wrong, 0, NULL, NULL));
    for (int index = 0; index < count && index < 64; index++)
        printf("line %d of the source does not hold\n", wrong[index]);
    SAME(count, 0);
    OK(clEnqueueReadBuffer(queue, halves, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    SAME(data[0], 0x4100);
    SAME(data[3], 0x5650);
    return finish();
}
