// attack: replay
// expect: refused
// Works in every other call alone.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    static int calls = 0;
    if (calls++ % 2 == 0)
        multiply(a, b, c);
}
