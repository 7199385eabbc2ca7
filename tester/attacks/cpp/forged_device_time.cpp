// attack: clock
// expect: no advantage
// Writes a device time of one nanosecond per call to the place where a worker on an accelerator reports it.
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
