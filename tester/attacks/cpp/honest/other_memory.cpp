// Allocates with mmap and a hint for large pages, with alloca and with aligned malloc.
#include <algorithm>
#include <alloca.h>
#include <cstdlib>
#include <sys/mman.h>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    const std::size_t bytes = static_cast<std::size_t>(c.size()) * sizeof(float);
    void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(pages, bytes, MADV_HUGEPAGE);
    auto *row = static_cast<float *>(alloca(static_cast<std::size_t>(c.size(1)) * sizeof(float)));
    auto *aligned = static_cast<float *>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
    const std::int64_t sizes[] = {c.size(0), c.size(1)}, strides[] = {c.size(1), 1};
    multiply(a, b, Out(static_cast<float *>(pages), sizes, strides));
    std::memcpy(aligned, pages, bytes);
    for (std::int64_t i = 0; i < c.size(0); i++) {
        std::copy(aligned + i * c.size(1), aligned + (i + 1) * c.size(1), row);
        std::copy(row, row + c.size(1), &c(i, 0));
    }
    std::free(aligned);
    munmap(pages, bytes);
}
