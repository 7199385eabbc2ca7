// expect: passed
// Uses one loop over all pixels with simple addresses, so that the compiler vectorises it.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 3> rgb, Tensor<float, 2> y)
{
    const float *__restrict from = rgb.data();
    float *__restrict to = y.data();
    const std::int64_t pixels = y.size();
    for (std::int64_t i = 0; i < pixels; i++)
        to[i] = 0.2989f * from[3 * i] + 0.5870f * from[3 * i + 1] + 0.1140f * from[3 * i + 2];
}
