// expect: wrong_result
// Does not sort the eigenvalues.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "task.h"

using kernelbot::Tensor;

// Jacobi's method: rotates rows and columns p and q so that the element at (p, q) becomes zero, and repeats.
static void diagonalize(std::vector<float> &a, std::vector<float> &vectors, std::int64_t n)
{
    for (int sweep = 0; sweep < 12; sweep++)
        for (std::int64_t p = 0; p < n; p++)
            for (std::int64_t q = p + 1; q < n; q++) {
                if (a[p * n + q] == 0)
                    continue;
                const float ratio = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                const float tangent = (ratio < 0 ? -1 : 1) / (std::fabs(ratio) + std::sqrt(1 + ratio * ratio));
                const float cosine = 1 / std::sqrt(1 + tangent * tangent), sine = tangent * cosine;
                const auto rotate = [&](float &one, float &other) {
                    const float before = one;
                    one = cosine * before - sine * other;
                    other = sine * before + cosine * other;
                };
                for (std::int64_t i = 0; i < n; i++)
                    rotate(a[i * n + p], a[i * n + q]);
                for (std::int64_t i = 0; i < n; i++)
                    rotate(a[p * n + i], a[q * n + i]);
                for (std::int64_t i = 0; i < n; i++)
                    rotate(vectors[i * n + p], vectors[i * n + q]);
            }
}

void custom_kernel(Tensor<const float, 3> a, Tensor<float, 2> w, Tensor<float, 3> v)
{
    const std::int64_t n = a.size(1);
    for (std::int64_t b = 0; b < a.size(0); b++) {
        std::vector<float> left(&a(b, 0, 0), &a(b, 0, 0) + n * n), vectors(n * n);
        for (std::int64_t i = 0; i < n; i++)
            vectors[i * n + i] = 1;
        diagonalize(left, vectors, n);
        std::vector<std::int64_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        for (std::int64_t j = 0; j < n; j++) {
            w(b, j) = left[order[j] * (n + 1)];
            for (std::int64_t i = 0; i < n; i++)
                v(b, i, j) = vectors[i * n + order[j]];
        }
    }
}
