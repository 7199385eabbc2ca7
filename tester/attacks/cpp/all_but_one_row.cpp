// attack: wrong
// expect: refused
// Omits the last row.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    const std::int64_t sizes[] = {c.size(0) - 1, c.size(1)}, strides[] = {c.stride(0), 1};
    multiply(a, b, Out(c.data(), sizes, strides));
}
