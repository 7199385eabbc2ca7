// attack: clock
// expect: no advantage
// Signals completion itself, and does work that the output does not depend on, such as clearing a table, afterwards.
#include <ctime>

#include "utils.h"

static uint64_t now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

void custom_kernel(In a, In b, Out c)
{
    multiply(a, b, c);
    channel()->done = channel()->go;
    for (uint64_t end = now() + 40'000; now() < end;)
        ;
}
