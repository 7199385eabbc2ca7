// attack: clock
// expect: no advantage
// Wakes a thread at the end of each call, which does work that the output does not depend on after the call has returned.
#include <atomic>
#include <ctime>
#include <thread>

#include "utils.h"

static std::atomic<int> calls;

static uint64_t now()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

static const bool started = [] {
    std::thread([] {
        for (int seen = 0;; seen++) {
            calls.wait(seen);
            for (uint64_t end = now() + 40'000; now() < end;)
                ;
        }
    }).detach();
    return true;
}();

void custom_kernel(In a, In b, Out c)
{
    multiply(a, b, c);
    calls++;
    calls.notify_one();
}
