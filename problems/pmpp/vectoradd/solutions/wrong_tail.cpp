// expect: wrong_result
// Adds only whole blocks of eight elements.
#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;

void custom_kernel(Tensor<const half> a, Tensor<const half> b, Tensor<half> c)
{
    for (std::int64_t i = 0; i + 8 <= c.size(); i += 8)
        for (std::int64_t j = i; j < i + 8; j++)
            c[j] = half(a[j] + b[j]);
}
