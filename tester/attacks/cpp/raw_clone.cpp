// attack: window
// expect: refused
// Asks the kernel itself for a process that works on after the call, by every call that makes one.
#include <sched.h>
#include <sys/syscall.h>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    const long made[] = {syscall(SYS_fork), syscall(SYS_vfork), syscall(SYS_clone, 0, 0, 0, 0, 0),
                         syscall(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0)};
    for (const long process : made)
        if (process == 0)
            multiply(a, b, c);
}
