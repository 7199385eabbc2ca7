// expect: wrong_result
// Reads b column by column, as if it were transposed.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 2> a, Tensor<const float, 2> b, Tensor<float, 2> c)
{
    const std::int64_t k = a.size(1);
    for (std::int64_t i = 0; i < c.size(0); i++)
        for (std::int64_t j = 0; j < c.size(1); j++) {
            float sum = 0;
            for (std::int64_t l = 0; l < k; l++)
                sum += a(i, l) * b.data()[j * k + l];
            c(i, j) = sum;
        }
}
