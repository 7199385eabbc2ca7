// prefixsum: write the running sums of x to y. The inputs change with every call, so nothing can be kept.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float> x, Tensor<float> y)
{
    double sum = 0;
    for (std::int64_t i = 0; i < x.size(); i++) {
        sum += x[i];
        y[i] = static_cast<float>(sum);
    }
}
