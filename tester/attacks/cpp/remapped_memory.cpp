// attack: judge
// expect: refused
// Maps memory of its own over the shared memory, and writes the output there.
#include <sys/mman.h>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    const std::size_t bytes = (static_cast<std::size_t>(c.size()) * sizeof(float) + 4095) & ~std::size_t{4095};
    mmap(c.data(), bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    multiply(a, b, c);
}
