// attack: clock
// expect: no advantage
// Is slow in the first calls, in the hope that few are timed or that its reference is taken for slow.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    static int calls = 0;
    if (calls++ < 3)
        usleep(20000);
    multiply(a, b, c);
}
