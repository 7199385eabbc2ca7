// attack: crash
// expect: refused
// Calls itself until the stack overflows.
#include "utils.h"

static volatile int depth;

static int deeper(volatile char *before)
{
    volatile char here[4096];
    here[0] = before[0];
    depth = depth + 1;
    return deeper(here) + here[1];
}

void custom_kernel(In, In, Out c)
{
    volatile char start[1] = {0};
    c(0, 0) = static_cast<float>(deeper(start));
}
