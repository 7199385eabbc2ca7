// attack: window
// expect: refused
// Starts a process that computes after the call, with every system call that creates one.
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
