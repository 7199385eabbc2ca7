// attack: judge
// expect: refused
// Tries the system calls that read the memory of other processes or trace them.
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "utils.h"

void custom_kernel(In, In, Out c)
{
    for (int process = 1; process < 2000; process++) {
        iovec here = {c.data(), static_cast<std::size_t>(c.size()) * sizeof(float)}, there = here;
        (void)!process_vm_readv(process, &here, 1, &there, 1, 0);
        (void)!process_vm_writev(process, &here, 1, &there, 1, 0);
        ptrace(PTRACE_ATTACH, process, nullptr, nullptr);
    }
}
