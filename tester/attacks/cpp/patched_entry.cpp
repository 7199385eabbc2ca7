// attack: report
// expect: refused
// A constructor overwrites the function by which the worker calls the kernel with a return instruction.
#include <cstddef>
#include <sys/mman.h>

#include "utils.h"

extern "C" int kernelbot_call(void *, char *, std::size_t);

static const bool patched = [] {
    auto *code = reinterpret_cast<unsigned char *>(&kernelbot_call);
    auto *page = reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(code) & ~std::uintptr_t{4095});
    if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0) {
        const unsigned char return_zero[] = {0x31, 0xc0, 0xc3};
        std::memcpy(code, return_zero, sizeof return_zero);
    }
    return true;
}();

void custom_kernel(In, In, Out) {}
