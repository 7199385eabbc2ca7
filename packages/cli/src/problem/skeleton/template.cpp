// RMS normalization: write the normalized rows to y. The inputs change with every call, so nothing can be kept.
#include <cmath>

#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 2> x, Tensor<const float> w, Tensor<float, 2> y)
{
    const std::int64_t rows = y.size(0), columns = y.size(1);
    for (std::int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (std::int64_t j = 0; j < columns; j++)
            sum += double(x(i, j)) * x(i, j);
        const float scale = float(1 / std::sqrt(sum / columns + 1e-6));
        for (std::int64_t j = 0; j < columns; j++)
            y(i, j) = x(i, j) * scale * w[j];
    }
}
