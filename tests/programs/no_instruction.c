// Device code with an instruction that no GPU has: NVIDIA's assembler refuses it.
int main(void) {
#pragma omp target
    {
#ifdef __NVPTX__
        __asm__ volatile("no_such_instruction;");
#endif
    }
    return 0;
}
