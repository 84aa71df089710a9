// The host's object comes to the region by its address alone: clang makes no table of its class for the device.
#pragma omp requires unified_shared_memory

#pragma omp begin declare target
struct Inline {
    int value = 3;
    virtual int get() const { return value; }
};
#pragma omp end declare target

int main() {
    const Inline *object = new Inline;
    int result = 0;
#pragma omp target map(from : result)
    result = object->get();
    return result;
}
