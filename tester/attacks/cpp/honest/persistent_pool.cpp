// Keeps a thread that waits between calls; each call waits for the thread.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "utils.h"

static std::mutex mutex;
static std::condition_variable changed;
static std::function<void()> work;

static void serve()
{
    std::unique_lock lock(mutex);
    while (true) {
        changed.wait(lock, [] { return static_cast<bool>(work); });
        work();
        work = nullptr;
        changed.notify_all();
    }
}

void custom_kernel(In a, In b, Out c)
{
    static std::thread *pool = new std::thread(serve);
    (void)pool;
    std::unique_lock lock(mutex);
    work = [=] { multiply(a, b, c); };
    changed.notify_all();
    changed.wait(lock, [] { return !work; });
}
