// vectoradd: write a + b to c. The inputs change with every call, so nothing can be kept.
#include "task.h"

using kernelbot::half;
using kernelbot::Tensor;

void custom_kernel(Tensor<const half> a, Tensor<const half> b, Tensor<half> c)
{
    for (std::int64_t i = 0; i < c.size(); i++)
        c[i] = half(a[i] + b[i]);
}
