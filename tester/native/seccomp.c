// What a worker may ask of the kernel: a list of refusals. A worker computes, allocates, makes threads and uses its own
// files; it starts no process, opens no socket, touches no other process and changes no mount, clock or limit. A harness
// that a problem brings starts processes and signals them, all of them inside its cell; the rest holds for it too.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define IF_EQUAL(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise)
#define IF_ANY(bits, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, then, otherwise)
#define DENY(name) IF_EQUAL(__NR_##name, 0, 1), REFUSE

#define NEW_NAMESPACES                                                                                                \
    (CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP)

static int install(struct sock_filter *program, size_t length)
{
    struct sock_fprog filter = {(unsigned short)length, program};
    // Kernels before 5.16 would slow every branch of the kernel under test without SPEC_ALLOW.
    if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) == 0)
        return 0;
    return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : -1;
}

// Refuses to start a process and to signal one. tgkill stays for the worker itself, which is
// process 1 of its namespace, since abort() needs it. Nothing may send SIGCONT, by which a frozen worker would run on:
// not tgkill, no timer, no file's signal.
static int filter_one_process(void)
{
    struct sock_filter program[] = {
        LOAD(nr),
        // A thread that waits as vfork does is not stopped by SIGSTOP, so nothing may wait like that.
        IF_EQUAL(__NR_clone, 0, 5), LOAD(args[0]), IF_ANY(CLONE_VFORK, 1, 0), IF_ANY(CLONE_THREAD, 1, 0), REFUSE, ALLOW,
        IF_EQUAL(__NR_tgkill, 0, 6), LOAD(args[0]), IF_EQUAL(1, 0, 3), LOAD(args[2]), IF_EQUAL(SIGCONT, 1, 0), ALLOW,
        REFUSE,
        IF_EQUAL(__NR_fcntl, 0, 4), LOAD(args[1]), IF_EQUAL(F_SETSIG, 0, 1), REFUSE, ALLOW,
        DENY(timer_create),
#ifdef __NR_fork
        DENY(fork), DENY(vfork),
#endif
        DENY(execve), DENY(execveat),
        DENY(kill), DENY(tkill),
        ALLOW,
    };
    return install(program, sizeof program / sizeof program[0]);
}

// Every worker: no other process of the machine, no change to the machine. A new process gets no new namespace.
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
        // A lease on a file that belongs to the same user makes whoever opens it wait, outside the sandbox too.
        IF_EQUAL(__NR_fcntl, 0, 4), LOAD(args[1]), IF_EQUAL(F_SETLEASE, 0, 1), REFUSE, ALLOW,
        DENY(rt_sigqueueinfo), DENY(rt_tgsigqueueinfo), DENY(pidfd_send_signal),
        DENY(pidfd_open), DENY(pidfd_getfd), DENY(ptrace), DENY(process_vm_readv), DENY(process_vm_writev),
        DENY(kcmp), DENY(migrate_pages), DENY(move_pages),
#ifdef __NR_process_madvise
        DENY(process_madvise),
#endif
#ifdef __NR_process_mrelease
        DENY(process_mrelease),
#endif
        DENY(socket), DENY(connect), DENY(bind), DENY(listen), DENY(accept), DENY(accept4),
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
    return install(program, sizeof program / sizeof program[0]);
}

int kb_filter_syscalls(int with_processes)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return !with_processes && filter_one_process() != 0 ? -1 : filter_reach();
}
