// attack: window
// expect: refused
// Makes system calls by their 32-bit numbers, which a 64-bit filter would take for others.
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
