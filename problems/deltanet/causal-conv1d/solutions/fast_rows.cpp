// expect: passed
// Computes the first elements of a row separately, and the rest in a loop of constant width, which vectorises.
#include <algorithm>

#include "task.h"

using kernelbot::Tensor;

static float edge(const float *x, const float *w, float bias, std::int64_t width, std::int64_t t)
{
    for (std::int64_t back = 0; back < width && back <= t; back++)
        bias += w[width - 1 - back] * x[t - back];
    return bias;
}

void custom_kernel(Tensor<const float, 3> x, Tensor<const float, 2> w, Tensor<const float> bias, Tensor<float, 3> y)
{
    const std::int64_t width = w.size(1), length = y.size(2);
    for (std::int64_t b = 0; b < y.size(0); b++)
        for (std::int64_t d = 0; d < y.size(1); d++) {
            const float *from = &x(b, d, 0), *taps = &w(d, 0);
            float *__restrict__ to = &y(b, d, 0);
            const std::int64_t seen = width == 4 ? std::min<std::int64_t>(3, length) : length;
            for (std::int64_t t = 0; t < seen; t++)
                to[t] = edge(from, taps, bias[d], width, t);
            for (std::int64_t t = seen; t < length; t++)
                to[t] = bias[d] + taps[0] * from[t - 3] + taps[1] * from[t - 2] + taps[2] * from[t - 1] +
                        taps[3] * from[t];
        }
}
