// Uses the memory of an input as scratch, which is the worker's own copy.
#include <utility>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    auto *rows = const_cast<float *>(b.data());
    const std::int64_t n = b.size(0);
    for (std::int64_t i = 0; i < n; i++)
        for (std::int64_t j = 0; j < i; j++)
            std::swap(rows[i * n + j], rows[j * n + i]);
    for (std::int64_t i = 0; i < n; i++)
        for (std::int64_t j = 0; j < n; j++) {
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (std::int64_t l = 0; l < n; l++)
                sum += a.data()[i * n + l] * rows[j * n + l];
            c(i, j) = sum;
        }
}
