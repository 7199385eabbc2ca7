// matmul: write the matrix product of a and b to c. The inputs change with every call, so nothing can be kept.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 2> a, Tensor<const float, 2> b, Tensor<float, 2> c)
{
    for (std::int64_t i = 0; i < c.size(0); i++)
        for (std::int64_t j = 0; j < c.size(1); j++) {
            float sum = 0;
            for (std::int64_t l = 0; l < a.size(1); l++)
                sum += a(i, l) * b(l, j);
            c(i, j) = sum;
        }
}
