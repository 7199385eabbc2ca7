// Runs tasks with std::async.
#include <future>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    auto done = std::async(std::launch::async, [=] { multiply(a, b, c); });
    done.get();
}
