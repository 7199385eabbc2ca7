// attack: clock
// expect: refused
// A thread answers every order as soon as it is given, while the kernel works.
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
