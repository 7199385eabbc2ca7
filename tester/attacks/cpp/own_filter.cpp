// attack: window
// expect: no advantage
// Installs a seccomp filter that makes the worker's futex wait return at once, so that it would poll for the judge's order
// instead of sleeping; and one that notifies it of the system calls of every thread.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "utils.h"

static void install(sock_filter *program, unsigned short length, unsigned flags)
{
    const sock_fprog filter = {length, program};
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

static const bool installed = [] {
    sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)};
    install(all, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    sock_filter waiting[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    install(waiting, 4, SECCOMP_FILTER_FLAG_TSYNC);
    return true;
}();

void custom_kernel(In a, In b, Out c) { multiply(a, b, c); }
