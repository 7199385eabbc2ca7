// attack: judge
// expect: refused
// Write-protects the shared memory and frees its pages, so that the judge would read zeros.
#include <sys/mman.h>

#include "utils.h"

// Calls `change` on the whole pages of a tensor.
template <class Tensor, class Change> static void on_pages(const Tensor &tensor, Change change)
{
    const auto page = std::uintptr_t{4096};
    const auto from = (reinterpret_cast<std::uintptr_t>(tensor.data()) + page - 1) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(tensor.data() + tensor.size()) / page * page;
    if (end > from)
        change(reinterpret_cast<void *>(from), end - from);
}

void custom_kernel(In a, In, Out c)
{
    on_pages(c, [](void *from, std::size_t bytes) { madvise(from, bytes, MADV_REMOVE); });
    on_pages(a, [](void *from, std::size_t bytes) { madvise(from, bytes, MADV_REMOVE); });
    on_pages(c, [](void *from, std::size_t bytes) { mprotect(from, bytes, PROT_NONE); });
}
