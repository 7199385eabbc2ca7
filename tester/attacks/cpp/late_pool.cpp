// attack: window
// expect: refused
// Passes the work to a thread that exists from the start, and returns before it is done.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "utils.h"

static std::mutex mutex;
static std::condition_variable woken;
static bool waiting;
static In left, right;
static Out result;

static const bool started = [] {
    std::thread([] {
        std::unique_lock lock(mutex);
        while (true) {
            woken.wait(lock, [] { return waiting; });
            waiting = false;
            multiply(left, right, result);
        }
    }).detach();
    return true;
}();

void custom_kernel(In a, In b, Out c)
{
    std::lock_guard lock(mutex);
    left = a, right = b, result = c, waiting = true;
    woken.notify_one();
}
