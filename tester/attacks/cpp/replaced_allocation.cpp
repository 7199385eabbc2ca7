// attack: window
// expect: refused
// Replaces the standard library's allocation, which our entry calls for the parameters of an input before the clock runs, and
// computes there.
#include <cstdlib>
#include <new>

#include "utils.h"

static In left, right;
static Out result;
static bool ready;

void *operator new(std::size_t bytes)
{
    if (result.data())
        ready = reaches([] { multiply(left, right, result); });
    return std::malloc(bytes);
}
void operator delete(void *place) noexcept { std::free(place); }
void operator delete(void *place, std::size_t) noexcept { std::free(place); }

void custom_kernel(In a, In b, Out c)
{
    if (!ready || result.data() != c.data())
        multiply(a, b, c);
    left = a, right = b, result = c;
}
