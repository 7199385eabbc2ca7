// expect: wrong_result
// Flips the filters, as the convolution of signal processing does.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 4> x, Tensor<const float, 4> w, Tensor<float, 4> y)
{
    const std::int64_t side = w.size(2);
    for (std::int64_t b = 0; b < y.size(0); b++)
        for (std::int64_t o = 0; o < y.size(1); o++)
            for (std::int64_t i = 0; i < y.size(2); i++)
                for (std::int64_t j = 0; j < y.size(3); j++) {
                    double sum = 0;
                    for (std::int64_t c = 0; c < x.size(1); c++)
                        for (std::int64_t p = 0; p < side; p++)
                            for (std::int64_t q = 0; q < side; q++)
                                sum += x(b, c, i + p, j + q) * w(o, c, side - 1 - p, side - 1 - q);
                    y(b, o, i, j) = static_cast<float>(sum);
                }
}
