// attack: judge
// expect: refused
// Write-protects the shared memory and frees its pages, so that the judge would read zeros.
#include <sys/mman.h>

#include "utils.h"

void custom_kernel(In a, In, Out c)
{
    const std::size_t bytes = (static_cast<std::size_t>(c.size()) * sizeof(float)) & ~std::size_t{4095};
    madvise(c.data(), bytes, MADV_REMOVE);
    madvise(const_cast<float *>(a.data()), bytes, MADV_REMOVE);
    mprotect(c.data(), bytes, PROT_NONE);
}
