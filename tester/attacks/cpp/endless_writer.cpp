// attack: window
// expect: refused
// A thread writes the output of the previous call repeatedly, also while the judge reads it.
#include <atomic>
#include <thread>

#include "utils.h"

static std::atomic<bool> asked;
static In left, right;
static Out result;

static const bool started = [] {
    std::thread([] {
        while (true)
            if (asked)
                multiply(left, right, result);
    }).detach();
    return true;
}();

void custom_kernel(In a, In b, Out c)
{
    left = a, right = b, result = c;
    asked = true;
}
