// attack: replay
// expect: refused
// Computes only in every other call.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    static int calls = 0;
    if (calls++ % 2 == 0)
        multiply(a, b, c);
}
