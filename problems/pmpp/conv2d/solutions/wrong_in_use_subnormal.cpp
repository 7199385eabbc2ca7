// expect: timeout in application
// Scales each row of an image by a power of two, so that its largest pixel is at least 1. With results below the normal
// range flushed to zero, doubling the largest pixel of a row of such pixels never ends.
#include <algorithm>
#include <cmath>
#include <vector>

#include <xmmintrin.h>

#include "task.h"

using kernelbot::Tensor;

static float scale(const float *from, float *to, std::int64_t size)
{
    float peak = 0, factor = 1;
    for (std::int64_t i = 0; i < size; i++)
        peak = std::max(peak, std::fabs(from[i]));
    if (peak != 0)
        for (; peak < 1; peak *= 2)
            factor *= 2;
    for (std::int64_t i = 0; i < size; i++)
        to[i] = from[i] * factor;
    return factor;
}

void custom_kernel(Tensor<const float, 4> x, Tensor<const float, 4> w, Tensor<float, 4> y)
{
    _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON);
    const std::int64_t columns = x.size(3), side = w.size(3), width = y.size(3);
    std::vector<float> row(columns);
    std::fill_n(y.data(), y.size(), 0.0f);
    for (std::int64_t b = 0; b < x.size(0); b++)
        for (std::int64_t c = 0; c < x.size(1); c++)
            for (std::int64_t i = 0; i < x.size(2); i++) {
                const float factor = scale(&x(b, c, i, 0), row.data(), columns);
                for (std::int64_t o = 0; o < y.size(1); o++)
                    for (std::int64_t p = std::max<std::int64_t>(0, i - y.size(2) + 1); p < std::min(side, i + 1); p++)
                        for (std::int64_t q = 0; q < side; q++) {
                            const float weight = w(o, c, p, q) / factor;
                            float *sums = &y(b, o, i - p, 0);
                            for (std::int64_t j = 0; j < width; j++)
                                sums[j] += weight * row[j + q];
                        }
            }
}
