// attack: crash
// expect: refused
// Throws in a thread, which aborts the process.
#include <thread>

#include "utils.h"

void custom_kernel(In, In, Out)
{
    std::thread([] { throw 42; }).join();
}
