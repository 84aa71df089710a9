float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float sum = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * sum;
    return d > 0.0f ? 1.0f - tail : tail;
}

kernel void blackscholes(global const float *price, global const float *strike, global const float *years,
                         global float *call, global float *put, float r, float v) {
    int i = get_global_id(0);
    float root = sqrt(years[i]);
    float d1 = (log(price[i] / strike[i]) + (r + 0.5f * v * v) * years[i]) / (v * root);
    float d2 = d1 - v * root, n1 = normal(d1), n2 = normal(d2), discounted = strike[i] * exp(-r * years[i]);
    call[i] = price[i] * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
}
