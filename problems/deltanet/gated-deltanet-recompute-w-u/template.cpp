// gated-deltanet-recompute-w-u: write A (beta * exp(g) * k) to w and A (beta * v) to u, chunk by chunk. The inputs
// change with every call.
#include <cmath>

#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 4> k, Tensor<const float, 4> v, Tensor<const float, 3> beta,
                   Tensor<const float, 4> A, Tensor<const float, 3> g, Tensor<float, 4> w, Tensor<float, 4> u)
{
    for (std::int64_t b = 0; b < k.size(0); b++)
        for (std::int64_t t = 0; t < k.size(1); t++)
            for (std::int64_t h = 0; h < k.size(2); h++) {
                const std::int64_t start = t / 64 * 64;
                for (std::int64_t c = 0; c < k.size(3); c++) {
                    float sum = 0;
                    for (std::int64_t i = start; i <= t; i++)
                        sum += A(b, t, h, i - start) * beta(b, i, h) * std::exp(g(b, i, h)) * k(b, i, h, c);
                    w(b, t, h, c) = sum;
                }
                for (std::int64_t c = 0; c < v.size(3); c++) {
                    float sum = 0;
                    for (std::int64_t i = start; i <= t; i++)
                        sum += A(b, t, h, i - start) * beta(b, i, h) * v(b, i, h, c);
                    u(b, t, h, c) = sum;
                }
            }
}
