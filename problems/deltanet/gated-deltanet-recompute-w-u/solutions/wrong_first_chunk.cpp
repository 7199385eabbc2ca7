// expect: wrong_result
// Sums from the start of the sequence instead of from the start of the chunk.
#include <cmath>

#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const float, 4> k, Tensor<const float, 4> v, Tensor<const float, 3> beta,
                   Tensor<const float, 4> A, Tensor<const float, 3> g, Tensor<float, 4> w, Tensor<float, 4> u)
{
    for (std::int64_t b = 0; b < k.size(0); b++)
        for (std::int64_t t = 0; t < k.size(1); t++)
            for (std::int64_t h = 0; h < k.size(2); h++) {
                for (std::int64_t c = 0; c < k.size(3); c++) {
                    float sum = 0;
                    for (std::int64_t i = 0; i <= t % 64; i++)
                        sum += A(b, t, h, i) * beta(b, i, h) * std::exp(g(b, i, h)) * k(b, i, h, c);
                    w(b, t, h, c) = sum;
                }
                for (std::int64_t c = 0; c < v.size(3); c++) {
                    float sum = 0;
                    for (std::int64_t i = 0; i <= t % 64; i++)
                        sum += A(b, t, h, i) * beta(b, i, h) * v(b, i, h, c);
                    u(b, t, h, c) = sum;
                }
            }
}
