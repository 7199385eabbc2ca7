// attack: clock
// expect: refused
// A thread signals completion of every order at once, while the kernel computes.
#include <thread>

#include "utils.h"

static const bool started = [] {
    std::thread([page = channel()] {
        while (true)
            page->done = page->go;
    }).detach();
    return true;
}();

void custom_kernel(In a, In b, Out c) { multiply(a, b, c); }
