// attack: clock
// expect: refused
// A thread sends SIGCONT to the worker, so that it would run while the judge has stopped it, and compute unobserved.
#include <atomic>
#include <csignal>
#include <sys/syscall.h>
#include <thread>

#include "utils.h"

static std::atomic<bool> asked;
static In left, right;
static Out result;

static const bool started = [] {
    std::thread([] {
        while (true) {
            syscall(SYS_tgkill, getpid(), getpid(), SIGCONT);
            syscall(SYS_kill, getpid(), SIGCONT);
            if (asked)
                multiply(left, right, result);
        }
    }).detach();
    return true;
}();

void custom_kernel(In a, In b, Out c)
{
    left = a, right = b, result = c;
    asked = true;
}
