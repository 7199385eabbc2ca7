// expect: wrong_result
// Sums blocks of 1024 without carrying a sum to the next block.
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
