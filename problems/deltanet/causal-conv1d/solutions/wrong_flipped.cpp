// expect: wrong_result
// Flips the filters, as the convolution of signal processing does.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 3> x, Tensor<const float, 2> w, Tensor<const float> bias, Tensor<float, 3> y)
{
    for (std::int64_t b = 0; b < y.size(0); b++)
        for (std::int64_t d = 0; d < y.size(1); d++)
            for (std::int64_t t = 0; t < y.size(2); t++) {
                float sum = bias[d];
                for (std::int64_t k = 0; k < w.size(1) && k <= t; k++)
                    sum += w(d, k) * x(b, d, t - k);
                y(b, d, t) = sum;
            }
}
