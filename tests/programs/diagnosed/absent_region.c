// clang chooses this `target` for the host alone: the device has no such region.
int main(void) {
    int sum = 0;
#pragma omp metadirective when(device = {kind(host)} : target map(tofrom : sum)) default(nothing)
    sum++;
    return sum - 1;
}
