// attack: limits
// expect: refused
// Allocates memory until none is left.
#include <new>

#include "utils.h"

void custom_kernel(In, In, Out)
{
    while (true)
        *new volatile char[1 << 28] = 1;
}
