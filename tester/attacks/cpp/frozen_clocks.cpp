// attack: clock
// expect: no advantage
// Puts its own clock in the place of the C library's and stops itself, in the hope that time stands still.
#include <csignal>
#include <ctime>

#include "utils.h"

extern "C" int clock_gettime(int, struct timespec *now) { return now ? (*now = {0, 0}, 0) : 0; }

void custom_kernel(In a, In b, Out c)
{
    std::raise(SIGSTOP);
    multiply(a, b, c);
}
