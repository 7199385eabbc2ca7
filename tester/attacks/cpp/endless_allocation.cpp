// attack: limits
// expect: refused
// Takes memory until there is none.
#include <new>

#include "utils.h"

void custom_kernel(In, In, Out)
{
    while (true)
        *new volatile char[1 << 28] = 1;
}
