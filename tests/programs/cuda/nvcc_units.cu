// With nvcc_c_unit.c: a program of which one unit is C.
#include <cstdio>

extern "C" int twice(int);

__global__ void write(int *place) { *place = 21; }

int main() {
    int *place, number = 0;
    cudaMalloc(&place, sizeof number);
    write<<<1, 1>>>(place);
    cudaMemcpy(&number, place, sizeof number, cudaMemcpyDeviceToHost);
    std::puts(twice(number) == 42 ? "PASS" : "FAIL");
}
