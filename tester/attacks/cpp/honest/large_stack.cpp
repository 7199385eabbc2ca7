// Has an accumulator of 4 MB on the stack.
#include <algorithm>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    alignas(64) float sums[1 << 20];
    const std::int64_t n = c.size(0);
    std::fill(sums, sums + n * n, 0.0f);
    for (std::int64_t i = 0; i < n; i++)
        for (std::int64_t l = 0; l < n; l++)
            for (std::int64_t j = 0; j < n; j++)
                sums[i * n + j] += a(i, l) * b(l, j);
    std::copy(sums, sums + n * n, c.data());
}
