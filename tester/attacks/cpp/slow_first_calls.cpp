// attack: clock
// expect: no advantage
// Is slow in the first calls, in case few calls are then timed or the reference is assumed to be slow.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    static int calls = 0;
    if (calls++ < 3)
        usleep(20000);
    multiply(a, b, c);
}
