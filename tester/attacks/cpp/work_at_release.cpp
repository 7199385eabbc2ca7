// attack: window
// expect: no advantage
// Computes in the handler of SIGCONT, which releases it, before the kernel is called.
#include <csignal>

#include "utils.h"

static In left, right;
static Out result;
static volatile bool ready;

static void work(int)
{
    ready = result.data() && reaches([] { multiply(left, right, result); });
}

void custom_kernel(In a, In b, Out c)
{
    if (!ready || result.data() != c.data())
        multiply(a, b, c);
    left = a, right = b, result = c, ready = false;
    signal(SIGCONT, work);
}
