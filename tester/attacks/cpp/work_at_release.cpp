// attack: window
// expect: no advantage
// Computes in the handler of SIGCONT, which releases it, before the kernel is called.
#include <csignal>
#include <vector>

#include "utils.h"

static In left, right;
static std::vector<float> result;
static volatile bool ready;

static void work(int)
{
    const std::int64_t sizes[] = {left.size(0), left.size(0)}, strides[] = {left.size(0), 1};
    ready = reaches([&] { multiply(left, right, Out(result.data(), sizes, strides)); });
}

void custom_kernel(In a, In b, Out c)
{
    if (ready && left.data() == a.data())
        std::memcpy(c.data(), result.data(), result.size() * sizeof(float));
    else
        multiply(a, b, c);
    result.resize(static_cast<std::size_t>(c.size()));
    left = a, right = b, ready = false;
    signal(SIGCONT, work);
}
