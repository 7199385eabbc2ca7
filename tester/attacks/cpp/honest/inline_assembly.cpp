// Uses inline assembly and a prefetch hint.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    std::int64_t rows = c.size(0);
#if defined(__x86_64__)
    asm volatile("mov %1, %0\n\tpause" : "=r"(rows) : "r"(c.size(0)) : "memory");
#endif
    for (std::int64_t i = 0; i < rows; i++)
        __builtin_prefetch(&a(i, 0));
    multiply(a, b, c);
}
