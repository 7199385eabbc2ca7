// The system call filter of a worker: a deny list. A worker computes, allocates, creates threads and uses its own
// files; it opens no socket, accesses no other process and changes no mount, clock or limit. It may start processes
// only where its keeper allows it. A problem's own harness may always start and signal processes, all inside its cell;
// the rest applies to it too.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sockets.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the worker's system call filter knows x86-64 and aarch64"
#endif

#ifndef SECCOMP_FILTER_FLAG_SPEC_ALLOW
#define SECCOMP_FILTER_FLAG_SPEC_ALLOW (1UL << 2)
#endif

#ifndef SECCOMP_FILTER_FLAG_NEW_LISTENER
#define SECCOMP_FILTER_FLAG_NEW_LISTENER (1UL << 3)
#endif
#ifndef SECCOMP_RET_USER_NOTIF
#define SECCOMP_RET_USER_NOTIF 0x7fc00000U
#endif

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define IF_EQUAL(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise)
#define IF_ANY(bits, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, then, otherwise)
#define DENY(name) IF_EQUAL(__NR_##name, 0, 1), REFUSE
#define ASK(name) IF_EQUAL(__NR_##name, 0, 1), ANSWER(start)

#define NEW_NAMESPACES                                                                                                \
    (CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP)

// Installs a filter. Returns 0, or the listener with NEW_LISTENER among the flags; -1 with errno.
static int install(struct sock_filter *program, size_t length, unsigned long flags)
{
    struct sock_fprog filter = {(unsigned short)length, program};
    // Without SPEC_ALLOW, kernels before 5.16 would slow down every branch of the kernel under test.
    int result = (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags | SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter);
    return result >= 0 ? result : (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
}

// Returns `start` for calls that start a process, and refuses to signal one. tgkill is allowed for the worker itself,
// which is process 1 of its namespace, since abort() needs it. SIGCONT, which would continue a frozen worker, is
// refused everywhere: in tgkill, timers, file signals, and the exit signal of a child.
static int filter_processes(unsigned start, unsigned long flags)
{
    struct sock_filter program[] = {
        LOAD(nr),
        IF_EQUAL(__NR_clone, 0, 10), LOAD(args[0]), IF_ANY(CLONE_THREAD, 0, 3),
        // A thread in vfork's wait is not stopped by SIGSTOP, and a wait for a thread could not be ended.
        IF_ANY(CLONE_VFORK, 0, 1), REFUSE, ALLOW,
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, CSIGNAL), IF_EQUAL(SIGCHLD, 1, 0), IF_EQUAL(0, 0, 1), ANSWER(start), REFUSE,
        IF_EQUAL(__NR_tgkill, 0, 6), LOAD(args[0]), IF_EQUAL(1, 0, 3), LOAD(args[2]), IF_EQUAL(SIGCONT, 1, 0), ALLOW,
        REFUSE,
        IF_EQUAL(__NR_fcntl, 0, 4), LOAD(args[1]), IF_EQUAL(F_SETSIG, 0, 1), REFUSE, ALLOW,
        DENY(timer_create),
#ifdef __NR_fork
        ASK(fork), ASK(vfork),
#endif
        ASK(execve), ASK(execveat),
        DENY(kill), DENY(tkill),
        ALLOW,
    };
    return install(program, sizeof program / sizeof program[0], flags);
}

// Sends the listener to the keeper and closes it.
static int send_listener(int door, int listener)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {{CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    struct iovec word = {"", 1};
    struct msghdr message = {.msg_iov = &word, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    memcpy(CMSG_DATA(&control.header), &listener, sizeof listener);
    int result = sendmsg(door, &message, 0) == 1 ? 0 : -1;
    close(listener);
    return result;
}

// Every worker: no access to other processes of the machine, no change to the machine. A new process gets no new
// namespace.
static int filter_reach(void)
{
    struct sock_filter program[] = {
        LOAD(arch), IF_EQUAL(ARCH, 1, 0), ANSWER(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
#if defined(__x86_64__)
        // The x32 numbers would be a second way to every call.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), REFUSE,
#endif
        // glibc falls back to clone, whose flags a filter can read.
        IF_EQUAL(__NR_clone3, 0, 1), ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
        IF_EQUAL(__NR_clone, 0, 4), LOAD(args[0]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NEW_NAMESPACES, 0, 1), REFUSE,
        ALLOW,
        // F_SETLEASE: a lease blocks other processes of the user that open the file, outside the sandbox too.
        // F_SETPIPE_SZ: pipe buffers are kernel memory that no limit of the process includes.
        IF_EQUAL(__NR_fcntl, 0, 5), LOAD(args[1]), IF_EQUAL(F_SETLEASE, 1, 0), IF_EQUAL(F_SETPIPE_SZ, 0, 1), REFUSE, ALLOW,
        // Socket buffers are kernel memory too. Their size is a hint, which the kernel may reduce: the call succeeds
        // without effect.
        IF_EQUAL(__NR_setsockopt, 0, 9), LOAD(args[1]), IF_EQUAL(SOL_SOCKET, 0, 5), LOAD(args[2]),
        IF_EQUAL(SO_SNDBUF, 4, 0), IF_EQUAL(SO_RCVBUF, 3, 0), IF_EQUAL(SO_SNDBUFFORCE, 2, 0),
        IF_EQUAL(SO_RCVBUFFORCE, 1, 0), ALLOW, ANSWER(SECCOMP_RET_ERRNO | 0),
        // A pipe would keep pages that the process has freed.
        DENY(vmsplice),
        // Linux limits their number for all processes of a user, in other cells and outside of cells too.
        DENY(inotify_init1),
#ifdef __NR_inotify_init
        DENY(inotify_init),
#endif
        // A core scheduling cookie keeps other processes off the core's other thread: the judge, and load that slows a
        // kernel.
        IF_EQUAL(__NR_prctl, 0, 4), LOAD(args[0]), IF_EQUAL(PR_SCHED_CORE, 0, 1), REFUSE, ALLOW,
        DENY(rt_sigqueueinfo), DENY(rt_tgsigqueueinfo), DENY(pidfd_send_signal),
        DENY(pidfd_open), DENY(pidfd_getfd), DENY(ptrace), DENY(process_vm_readv), DENY(process_vm_writev),
        DENY(kcmp), DENY(migrate_pages), DENY(move_pages),
#ifdef __NR_process_madvise
        DENY(process_madvise),
#endif
#ifdef __NR_process_mrelease
        DENY(process_mrelease),
#endif
        DENY(unshare), DENY(setns), DENY(mount), DENY(umount2), DENY(pivot_root), DENY(chroot), DENY(open_tree),
        DENY(move_mount), DENY(fsopen), DENY(fsconfig), DENY(fsmount), DENY(fspick),
#ifdef __NR_mount_setattr
        DENY(mount_setattr),
#endif
        DENY(name_to_handle_at), DENY(open_by_handle_at), DENY(swapon), DENY(swapoff), DENY(quotactl),
        DENY(bpf), DENY(perf_event_open), DENY(userfaultfd), DENY(io_uring_setup), DENY(io_uring_enter),
        DENY(io_uring_register), DENY(io_setup), DENY(fanotify_init), DENY(keyctl), DENY(add_key), DENY(request_key),
        DENY(memfd_create),
#ifdef __NR_memfd_secret
        DENY(memfd_secret),
#endif
        DENY(shmget), DENY(shmat), DENY(shmctl), DENY(semget), DENY(semop), DENY(semctl), DENY(semtimedop),
        DENY(msgget), DENY(msgsnd), DENY(msgrcv), DENY(msgctl), DENY(mq_open),
        DENY(sched_setaffinity), DENY(sched_setscheduler), DENY(sched_setparam), DENY(sched_setattr),
        DENY(setpriority), DENY(ioprio_set), DENY(personality),
        DENY(setuid), DENY(setgid), DENY(setreuid), DENY(setregid), DENY(setresuid), DENY(setresgid), DENY(setgroups),
        DENY(setfsuid), DENY(setfsgid), DENY(capset),
        DENY(kexec_load), DENY(init_module), DENY(finit_module), DENY(delete_module), DENY(reboot), DENY(acct),
        DENY(syslog), DENY(vhangup), DENY(sethostname), DENY(setdomainname),
        DENY(clock_settime), DENY(clock_adjtime), DENY(adjtimex), DENY(settimeofday),
#if defined(__x86_64__)
        DENY(iopl), DENY(ioperm), DENY(modify_ldt),
#endif
        ALLOW,
    };
    return install(program, sizeof program / sizeof program[0], 0);
}

// No sockets; or, for workers with a network namespace, only families that are confined to it.
static int filter_sockets(enum sockets sockets)
{
    struct sock_filter none[] = {
        LOAD(nr), DENY(socket), DENY(connect), DENY(bind), DENY(listen), DENY(accept), DENY(accept4), ALLOW,
    };
    struct sock_filter local[] = {
        LOAD(nr), IF_EQUAL(__NR_socket, 1, 0), ALLOW, LOAD(args[0]), IF_EQUAL(AF_UNIX, 1, 0), REFUSE, ALLOW,
    };
    struct sock_filter own[] = {
        LOAD(nr), IF_EQUAL(__NR_socket, 1, 0), ALLOW, LOAD(args[0]),
        IF_EQUAL(AF_UNIX, 3, 0), IF_EQUAL(AF_INET, 2, 0), IF_EQUAL(AF_INET6, 1, 0), IF_EQUAL(AF_NETLINK, 1, 2), ALLOW,
        LOAD(args[2]), IF_EQUAL(NETLINK_ROUTE, 1, 0), REFUSE, ALLOW,
    };
    switch (sockets) {
    case NETWORK:
        return install(own, sizeof own / sizeof own[0], 0);
    case LOCAL_SOCKETS:
        return install(local, sizeof local / sizeof local[0], 0);
    default:
        return install(none, sizeof none / sizeof none[0], 0);
    }
}

// Worker without sockets: nothing that Linux counts for all processes of a user together, namely files that are being
// passed (unix(7), ETOOMANYREFS) and watches of epoll(7). Drivers of accelerators and libraries of several ranks may need
// both.
static int filter_counted(void)
{
    struct sock_filter program[] = {
        LOAD(nr), DENY(sendmsg), DENY(sendmmsg), DENY(epoll_create1),
#ifdef __NR_epoll_create
        DENY(epoll_create),
#endif
        ALLOW,
    };
    return install(program, sizeof program / sizeof program[0], 0);
}

// 0; 1: the kernel has no user notification (added in 5.0; continuing a call was added in 5.5), so processes can never
// be started; -1 with errno.
int kb_filter_syscalls(int harness, int door, enum sockets sockets)
{
    int never = 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || filter_sockets(sockets) != 0)
        return -1;
    if (!harness) {
        int listener = filter_processes(SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
        never = listener < 0;
        if (never ? filter_processes(SECCOMP_RET_ERRNO | EPERM, 0) != 0 : send_listener(door, listener) != 0)
            return -1;
        close(door);
    }
    if (sockets == NO_SOCKETS && filter_counted() != 0)
        return -1;
    return filter_reach() == 0 ? never : -1;
}
