// attack: judge
// expect: refused
// Maps memory of its own over the shared memory, and writes the output there.
#include <sys/mman.h>

#include <cstdint>
#include <vector>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    // The first page may also contain the end of an input.
    std::vector<float> answer(static_cast<std::size_t>(c.size()));
    const std::int64_t sizes[] = {c.size(0), c.size(0)}, strides[] = {c.size(0), 1};
    multiply(a, b, Out(answer.data(), sizes, strides));
    const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(c.data()) & ~std::uintptr_t{4095};
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(c.data() + c.size()) + 4095) & ~std::uintptr_t{4095};
    mmap(reinterpret_cast<void *>(from), end - from, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    std::memcpy(c.data(), answer.data(), answer.size() * sizeof(float));
}
