// conv2d: write the convolution of the images x with the filters w to y. The inputs change with every call.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 4> x, Tensor<const float, 4> w, Tensor<float, 4> y)
{
    for (std::int64_t b = 0; b < y.size(0); b++)
        for (std::int64_t o = 0; o < y.size(1); o++)
            for (std::int64_t i = 0; i < y.size(2); i++)
                for (std::int64_t j = 0; j < y.size(3); j++) {
                    double sum = 0;
                    for (std::int64_t c = 0; c < x.size(1); c++)
                        for (std::int64_t p = 0; p < w.size(2); p++)
                            for (std::int64_t q = 0; q < w.size(3); q++)
                                sum += x(b, c, i + p, j + q) * w(o, c, p, q);
                    y(b, o, i, j) = static_cast<float>(sum);
                }
}
