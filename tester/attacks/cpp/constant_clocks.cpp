// attack: clock
// expect: no advantage
// Replaces the C library's clock by its own and stops itself, in case the clock stops too.
#include <csignal>
#include <ctime>

#include "utils.h"

extern "C" int clock_gettime(int, struct timespec *now) { return now ? (*now = {0, 0}, 0) : 0; }

void custom_kernel(In a, In b, Out c)
{
    std::raise(SIGSTOP);
    multiply(a, b, c);
}
