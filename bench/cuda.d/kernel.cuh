// Makes a kernel known to the unit that launches it.
#pragma once

#define BENCH_KERNEL(name) extern "C" const void *const bench_kernel = (const void *)name;
