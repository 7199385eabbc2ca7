// expect: wrong_result
// Sums blocks of 1024 and carries nothing from one to the next.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float> x, Tensor<float> y)
{
    float sum = 0;
    for (std::int64_t i = 0; i < x.size(); i++) {
        sum = i % 1024 == 0 ? x[i] : sum + x[i];
        y[i] = sum;
    }
}
