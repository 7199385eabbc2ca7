// Judge: compares an output with the expected one.
#include <math.h>
#include <stdint.h>
#include <string.h>

// Number of elements between two decisions to stop; their comparison has no branch, so that it is vectorised.
#define BLOCK 4096

// Whether each of n elements is equal to the expected one, or |got - expected| <= atol + |rtol * expected| in float32,
// which must be finite. NaN is never equal.
__attribute__((optimize("O3"))) int kb_all_close(const float *got, const float *expected, uint64_t n, float rtol,
                                                 float atol)
{
    for (uint64_t at = 0; at < n; at += BLOCK) {
        uint64_t end = n - at < BLOCK ? n : at + BLOCK;
        int wrong = 0;
        for (uint64_t i = at; i < end; i++) {
            float g = got[i], e = expected[i], allowed = atol + fabsf(rtol * e);
            int close = (fabsf(g - e) <= allowed) & (allowed < INFINITY);
            wrong |= !((g == e) | close);
        }
        if (wrong)
            return 0;
    }
    return 1;
}

// The bits of a number that is not negative, which order as the numbers do; those of infinity for NaN.
static inline uint32_t bits_of(float x)
{
    uint32_t bits, infinity = 0x7f800000;
    memcpy(&bits, &x, sizeof bits);
    return bits < infinity ? bits : infinity;
}

// Sets `errors` to the largest |got - expected| and the largest |got - expected| / (|expected| + 1e-8) in float32, where
// equal elements and pairs of NaN have none; infinite where one is infinite or NaN.
__attribute__((optimize("O3"))) void kb_largest_errors(const float *got, const float *expected, uint64_t n, float *errors)
{
    uint32_t largest[2] = {0, 0};
    for (uint64_t i = 0; i < n; i++) {
        float g = got[i], e = expected[i], error = fabsf(g - e);
        uint32_t wrong = -(uint32_t)!((g == e) | ((g != g) & (e != e)));
        uint32_t absolute = bits_of(error) & wrong, relative = bits_of(error / (fabsf(e) + 1e-8f)) & wrong;
        largest[0] = absolute > largest[0] ? absolute : largest[0];
        largest[1] = relative > largest[1] ? relative : largest[1];
    }
    memcpy(errors, largest, sizeof largest);
}
