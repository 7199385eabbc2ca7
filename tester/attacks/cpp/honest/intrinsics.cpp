// Uses vector intrinsics, for a target that the function names.
#include <immintrin.h>

#include "utils.h"

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void row(const float *a, const float *b, float *c, std::int64_t n)
{
    for (std::int64_t j = 0; j < n; j += 8) {
        __m256 sum = _mm256_setzero_ps();
        for (std::int64_t l = 0; l < n; l++)
            sum = _mm256_fmadd_ps(_mm256_set1_ps(a[l]), _mm256_loadu_ps(b + l * n + j), sum);
        _mm256_storeu_ps(c + j, sum);
    }
}
#endif

void custom_kernel(In a, In b, Out c)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && c.size(1) % 8 == 0) {
        for (std::int64_t i = 0; i < c.size(0); i++)
            row(&a(i, 0), b.data(), &c(i, 0), c.size(1));
        return;
    }
#endif
    multiply(a, b, c);
}
