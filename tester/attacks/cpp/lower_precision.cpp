// attack: wrong
// expect: refused
// Rounds the inputs to half precision.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    for (std::int64_t i = 0; i < c.size(0); i++)
        for (std::int64_t j = 0; j < c.size(1); j++) {
            float sum = 0;
            for (std::int64_t l = 0; l < a.size(1); l++)
                sum += kernelbot::half(a(i, l)) * kernelbot::half(b(l, j));
            c(i, j) = sum;
        }
}
