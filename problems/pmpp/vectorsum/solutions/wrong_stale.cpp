// expect: wrong_result
// Adds to the output buffer without clearing it first.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float> x, Tensor<float> y)
{
    for (std::int64_t i = 0; i < x.size(); i++)
        y[0] += x[i];
}
