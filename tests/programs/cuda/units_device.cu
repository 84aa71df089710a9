// Device code of units.cu.
__device__ int addend = 7;
__device__ int square(int number) { return number * number; }

void set_addend(int number) { cudaMemcpyToSymbol(addend, &number, sizeof number); }
