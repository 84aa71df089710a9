#define MAP(function)                                                                                                  \
    kernel void function##_of(global const float *x, global float *y) {                                                \
        size_t i = get_global_id(0);                                                                                   \
        y[i] = function(x[i]);                                                                                         \
    }

MAP(exp)
MAP(log)
MAP(sin)
MAP(sqrt)
MAP(tanh)

kernel void pow_of(global const float *x, global float *y) {
    size_t i = get_global_id(0);
    y[i] = pow(x[i], 1.7f);
}
