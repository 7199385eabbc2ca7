// expect: passed
// Sums in eight parts at a time, which vectorizes.
#include <cmath>

#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 2> x, Tensor<const float> w, Tensor<float, 2> y)
{
    constexpr std::int64_t parts = 8;
    const std::int64_t rows = y.size(0), columns = y.size(1);
    for (std::int64_t i = 0; i < rows; i++) {
        const float *from = x.data() + i * columns;
        float *to = y.data() + i * columns;
        float sums[parts] = {};
        std::int64_t j = 0;
        for (; j + parts <= columns; j += parts)
            for (std::int64_t k = 0; k < parts; k++)
                sums[k] += from[j + k] * from[j + k];
        float sum = 0;
        for (; j < columns; j++)
            sum += from[j] * from[j];
        for (const float part : sums)
            sum += part;
        const float scale = 1 / std::sqrt(sum / float(columns) + 1e-6f);
        for (j = 0; j < columns; j++)
            to[j] = from[j] * scale * w[j];
    }
}
