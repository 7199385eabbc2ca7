// attack: clock
// expect: no advantage
// Reports, where a worker on an accelerator tells its device's figure, that each call took a nanosecond.
#include <thread>

#include "utils.h"

// By a thread, since the worker's own word comes last.
static const bool started = [] {
    std::thread([figure = reinterpret_cast<volatile double *>(reinterpret_cast<std::uintptr_t>(channel()) + 72)] {
        while (true) {
            *figure = 1;
            usleep(20);
        }
    }).detach();
    return true;
}();

void custom_kernel(In a, In b, Out c) { multiply(a, b, c); }
