// attack: window
// expect: refused
// Makes system calls by the numbers of 32 bits, which a filter of 64 bits would take for others.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
#if defined(__x86_64__)
    long process = 2; // fork
    asm volatile("int $0x80" : "+a"(process) : : "memory");
    if (process == 0)
        multiply(a, b, c);
#else
    (void)a, (void)b, (void)c;
#endif
}
