// expect: passed
// Householder tridiagonalization, then the QL method with implicit shifts. The eigenvectors are stored as rows, so that
// all loops run along rows and vectorise; the scalars of the tridiagonal matrix are double.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "task.h"

using kernelbot::Tensor;
using Row = float *__restrict__;

static void add(Row to, const float *__restrict__ row, float weight, std::int64_t size)
{
    for (std::int64_t c = 0; c < size; c++)
        to[c] += weight * row[c];
}

static float dot(const float *__restrict__ a, const float *__restrict__ b, std::int64_t size)
{
    float parts[8] = {}, sum = 0;
    std::int64_t c = 0;
    for (; c + 8 <= size; c += 8)
        for (int p = 0; p < 8; p++)
            parts[p] += a[c + p] * b[c + p];
    for (; c < size; c++)
        sum += a[c] * b[c];
    return sum + ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

// H x H for all columns, one after the other, H = I - v v^T; x becomes tridiagonal, and y the product of all H.
static void reduce(Row x, Row y, std::int64_t n)
{
    std::vector<float> v(n), p(n), sums(n);
    for (std::int64_t j = 0; j + 2 < n; j++) {
        const std::int64_t from = j + 1, size = n - from;
        float *u = v.data() + from, *w = p.data() + from;
        std::copy(x + j * n + from, x + j * n + n, u);
        const float norm = std::sqrt(dot(u, u, size));
        u[0] += u[0] < 0 ? -norm : norm;
        const float scale = std::sqrt(2 / std::max(dot(u, u, size), 1e-30f));
        for (std::int64_t c = 0; c < size; c++)
            u[c] *= scale;
        // Row and column j, and then the rest: x - u w^T - w u^T with w = x u - (u^T x u / 2) u.
        const float first = dot(x + j * n + from, u, size);
        add(x + j * n + from, u, -first, size);
        for (std::int64_t i = from; i < n; i++)
            w[i - from] = dot(x + i * n + from, u, size);
        add(w, u, -dot(u, w, size) / 2, size);
        for (std::int64_t i = from; i < n; i++) {
            add(x + i * n + from, w, -v[i], size);
            add(x + i * n + from, u, -p[i], size);
        }
        std::fill(sums.begin(), sums.end(), 0.0f);
        for (std::int64_t i = from; i < n; i++)
            add(sums.data(), y + i * n, v[i], n);
        for (std::int64_t i = from; i < n; i++)
            add(y + i * n, sums.data(), -v[i], n);
    }
}

// d: the diagonal, e: the subdiagonal, followed by a 0.
static void iterate(std::vector<double> &d, std::vector<double> &e, Row y, std::int64_t n)
{
    for (std::int64_t l = 0; l < n; l++)
        for (int tries = 0; tries < 60; tries++) {
            std::int64_t m = l;
            while (m + 1 < n && std::fabs(e[m]) > 1e-9 * (std::fabs(d[m]) + std::fabs(d[m + 1])) + 1e-30)
                m++;
            if (m == l)
                break;
            const double half = (d[l + 1] - d[l]) / (2 * e[l]);
            double g = d[m] - d[l] + e[l] / (half + std::copysign(std::hypot(half, 1.0), half));
            double s = 1, c = 1, shift = 0;
            for (std::int64_t i = m - 1; i >= l; i--) {
                const double f = s * e[i], b = c * e[i], r = std::hypot(f, g);
                e[i + 1] = r;
                s = r == 0 ? 0 : f / r;
                c = r == 0 ? 1 : g / r;
                g = d[i + 1] - shift;
                const double t = (d[i] - g) * s + 2 * c * b;
                shift = s * t;
                d[i + 1] = g + shift;
                g = c * t - b;
                float *__restrict__ one = y + i * n, *__restrict__ other = y + (i + 1) * n;
                const float cosine = static_cast<float>(c), sine = static_cast<float>(s);
                for (std::int64_t k = 0; k < n; k++) {
                    const float before = other[k];
                    other[k] = sine * one[k] + cosine * before;
                    one[k] = cosine * one[k] - sine * before;
                }
            }
            d[l] -= shift;
            e[l] = g;
            e[m] = 0;
        }
}

void custom_kernel(Tensor<const float, 3> a, Tensor<float, 2> w, Tensor<float, 3> v)
{
    const std::int64_t n = a.size(1);
    std::vector<float> x(n * n), y(n * n);
    std::vector<double> d(n), e(n);
    std::vector<std::int64_t> order(n);
    for (std::int64_t b = 0; b < a.size(0); b++) {
        std::copy(&a(b, 0, 0), &a(b, 0, 0) + n * n, x.begin());
        std::fill(y.begin(), y.end(), 0.0f);
        for (std::int64_t i = 0; i < n; i++)
            y[i * n + i] = 1;
        reduce(x.data(), y.data(), n);
        for (std::int64_t i = 0; i < n; i++) {
            d[i] = x[i * n + i];
            e[i] = i + 1 < n ? x[i * n + i + 1] : 0;
        }
        iterate(d, e, y.data(), n);
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](auto i, auto j) { return d[i] < d[j]; });
        for (std::int64_t j = 0; j < n; j++) {
            w(b, j) = static_cast<float>(d[order[j]]);
            for (std::int64_t i = 0; i < n; i++)
                v(b, i, j) = y[order[j] * n + i];
        }
    }
}
