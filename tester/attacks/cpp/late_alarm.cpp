// attack: window
// expect: refused
// Returns at once and computes in the handler of an alarm.
#include <csignal>
#include <sys/time.h>

#include "utils.h"

static In left, right;
static Out result;

static void work(int) { multiply(left, right, result); }

void custom_kernel(In a, In b, Out c)
{
    left = a, right = b, result = c;
    signal(SIGALRM, work);
    const itimerval soon = {{0, 0}, {0, 500}};
    setitimer(ITIMER_REAL, &soon, nullptr);
}
