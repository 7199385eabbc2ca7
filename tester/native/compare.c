// Judge: compares an output with the expected one.
#include <math.h>
#include <stdint.h>

// Number of elements between two decisions to stop; their comparison has no branch, so that it is vectorised.
#define BLOCK 4096

// Whether each of n elements is equal to the expected one, or both are NaN, or |got - expected| <= atol + |rtol *
// expected| in float32, which must be finite.
__attribute__((optimize("O3"))) int kb_all_close(const float *got, const float *expected, uint64_t n, float rtol,
                                                 float atol)
{
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint64_t end = n - at < BLOCK ? n : at + BLOCK;
        int wrong = 0;
        for (uint64_t i = at; i < end; i++) {
            float g = got[i], e = expected[i], allowed = atol + fabsf(rtol * e);
            int close = (fabsf(g - e) <= allowed) & (allowed < INFINITY);
            wrong |= !((g == e) | close | ((g != g) & (e != e)));
        }
        if (wrong)
            return 0;
    }
    return 1;
}
