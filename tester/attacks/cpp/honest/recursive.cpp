// Halves the longest side until the blocks fit into the first-level cache.
#include <algorithm>

#include "utils.h"

static void add_product(const float *a, const float *b, float *c, std::int64_t m, std::int64_t k, std::int64_t n,
                        std::int64_t stride)
{
    const std::int64_t longest = std::max({m, k, n}), half = longest / 2;
    if (longest <= 32) {
        for (std::int64_t i = 0; i < m; i++)
            for (std::int64_t l = 0; l < k; l++)
                for (std::int64_t j = 0; j < n; j++)
                    c[i * stride + j] += a[i * stride + l] * b[l * stride + j];
    } else if (m == longest) {
        add_product(a, b, c, half, k, n, stride);
        add_product(a + half * stride, b, c + half * stride, m - half, k, n, stride);
    } else if (k == longest) {
        add_product(a, b, c, m, half, n, stride);
        add_product(a + half, b + half * stride, c, m, k - half, n, stride);
    } else {
        add_product(a, b, c, m, k, half, stride);
        add_product(a, b + half, c + half, m, k, n - half, stride);
    }
}

void custom_kernel(In a, In b, Out c)
{
    const std::int64_t n = c.size(0);
    std::fill(c.data(), c.data() + c.size(), 0.0f);
    add_product(a.data(), b.data(), c.data(), n, n, n, n);
}
