// attack: clock
// expect: refused
// Signals completion of the current order, and computes afterwards.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    channel()->done = channel()->go;
    multiply(a, b, c);
}
