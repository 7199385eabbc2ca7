// sort: write the elements of x to y in ascending order. The inputs change with every call, so nothing can be kept.
#include "task.h"

#include <algorithm>

using kernelbot::Tensor;

void custom_kernel(Tensor<const float> x, Tensor<float> y)
{
    std::copy(x.data(), x.data() + x.size(), y.data());
    std::sort(y.data(), y.data() + y.size());
}
