// expect: wrong_result
// Reads the channels in the order blue, green, red.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 3> rgb, Tensor<float, 2> y)
{
    for (std::int64_t i = 0; i < y.size(0); i++)
        for (std::int64_t j = 0; j < y.size(1); j++)
            y(i, j) = 0.2989f * rgb(i, j, 2) + 0.5870f * rgb(i, j, 1) + 0.1140f * rgb(i, j, 0);
}
