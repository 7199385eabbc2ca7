// attack: clock
// expect: refused
// Says that the order under way is done, and works afterwards.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    channel()->done = channel()->go;
    multiply(a, b, c);
}
