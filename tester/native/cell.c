// The cell: namespaces, limits and filters of one worker. The zygote forks a keeper, which creates the namespaces and
// forks the worker as process 1 of them; the worker then drops its privileges itself. The keeper's further work is in
// keeper.c.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sockets.h"

int kb_filter_syscalls(int harness, int door, enum sockets sockets);

struct limits {
    uint64_t memory_bytes;  // address space, in addition to what the process has already mapped
    uint64_t scratch_bytes; // size of /tmp and of each file
    uint64_t threads;
    uint64_t open_files;
    // 1: the process opens an accelerator, whose driver reserves addresses without limit, and writes the names of its
    // threads into /proc.
    uint64_t accelerator;
};

static int write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

// Keeper: makes the process die with the zygote.
int kb_follow_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

// Creates namespaces, including a user namespace. 0, or -1 with errno.
static int make_namespaces(int kinds)
{
    char map[64];
    unsigned uid = getuid(), gid = getgid();
    if (unshare(kinds) != 0)
        return -1;
    if (write_text("/proc/self/setgroups", "deny") != 0 && errno != ENOENT)
        return -1;
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    if (write_text("/proc/self/uid_map", map) != 0)
        return -1;
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    return write_text("/proc/self/gid_map", map);
}

// Keeper: makes the next process that it forks process 1 of the cell. `with_network`: the cell gets a network without any
// interface, so that names of AF_UNIX sockets are its own. 0, or -1 with errno.
int kb_make_cell(int with_network)
{
    int network = with_network ? CLONE_NEWNET : 0;
    return make_namespaces(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | network);
}

// The worker is process 1 of its namespace, for which the kernel drops signals without a handler: abort() needs one. A
// shell reports 134 for SIGABRT.
static void on_abort(int signal)
{
    (void)signal;
    _exit(134);
}

static int limit(int resource, uint64_t value)
{
    struct rlimit l = {value, value};
    return setrlimit(resource, &l);
}

// All mapped bytes, or of these the private writable memory, as counted by the limits of setrlimit(2).
static uint64_t mapped_bytes(int writable)
{
    unsigned long pages = 0, data = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f) {
        if (fscanf(f, "%lu %*u %*u %*u %*u %lu", &pages, &data) != 2)
            pages = data = 0;
        fclose(f);
    }
    return (uint64_t)(writable ? data : pages) * (uint64_t)sysconf(_SC_PAGESIZE);
}

// When memory runs out, the kernel kills processes in cells before their keepers, which have 800.
static void die_first(void) { write_text("/proc/self/oom_score_adj", "1000"); }

// Worker, with or without a cell: sets resource limits, which apply to trusted code too.
int kb_limit(const struct limits *l, int sandboxed)
{
    struct sigaction abort_action = {.sa_handler = on_abort};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    die_first();
    if (sandboxed && (sigaction(SIGABRT, &abort_action, NULL) != 0 || limit(RLIMIT_NPROC, l->threads) != 0))
        return -1;
    int writable = l->accelerator != 0;
    if (limit(writable ? RLIMIT_DATA : RLIMIT_AS, mapped_bytes(writable) + l->memory_bytes) != 0)
        return -1;
    // Linux also counts the pending signals of all cells together.
    return limit(RLIMIT_FSIZE, l->scratch_bytes) || limit(RLIMIT_CORE, 0) || limit(RLIMIT_MSGQUEUE, 0) ||
           limit(RLIMIT_SIGPENDING, l->threads) || (!sandboxed && limit(RLIMIT_NOFILE, l->open_files));
}

static int mount_shared(const struct limits *l)
{
    char options[96];
    snprintf(options, sizeof options, "size=%llu,nr_inodes=4096,mode=700", (unsigned long long)l->scratch_bytes);
    return mount("shared", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options);
}

// Parent of several keepers, before it forks them: creates a network with only a loopback interface and a /dev/shm,
// which their workers share. 0, or -1 with errno.
int kb_make_group(const struct limits *l)
{
    struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    if (make_namespaces(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET) != 0)
        return -1;
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0 || ioctl(any, SIOCSIFFLAGS, &loopback) != 0)
        return -1;
    close(any);
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ? -1 : mount_shared(l);
}

// Worker: mounts its own /proc and scratch, and unless `in_group` its own /dev/shm. 0, or -1 with errno.
int kb_furnish_cell(const struct limits *l, int in_group)
{
    char options[96];
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return -1;
    unsigned long read_only = l->accelerator ? 0 : MS_RDONLY;
    if (mount("proc", "/proc", "proc", read_only | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return -1;
    snprintf(options, sizeof options, "size=%llu,nr_inodes=4096,mode=700", (unsigned long long)l->scratch_bytes);
    if (mount("scratch", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
        return -1;
    if (!in_group && mount_shared(l) != 0)
        return -1;
    // No terminals: a hang-up of one would continue a stopped process.
    if (mount("none", "/dev/pts", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") != 0 && errno != ENOENT)
        return -1;
    return chdir("/tmp") != 0 || sethostname("worker", 6) != 0 ? -1 : 0;
}

// Worker: creates a read-only folder. Files are written between `begin` and `end`. The submission cannot unmount or
// move it.
int kb_begin_folder(const char *path, const struct limits *l)
{
    char options[96];
    snprintf(options, sizeof options, "size=%llu,nr_inodes=4096,mode=700", (unsigned long long)l->scratch_bytes);
    return mount("files", path, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

int kb_end_folder(const char *path) { return mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL); }

// Worker: drops all capabilities permanently and installs the system call filter. `harness`: processes may always be
// started; else only with permission of the keeper, at the other end of `door`. 0; 1: the kernel has no user
// notification, so processes can never be started; -1 with errno. Open files are limited last: beyond that number of files
// that processes of one user are passing to each other, no further one can be passed, such as the filter's listener.
int kb_close_cell(int harness, int door, enum sockets sockets, const struct limits *l)
{
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
        if (prctl(PR_CAPBSET_DROP, capability) != 0)
            return -1;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    if (syscall(SYS_capset, &header, none) != 0)
        return -1;
    int result = kb_filter_syscalls(harness, door, sockets);
    return limit(RLIMIT_NOFILE, l->open_files) != 0 ? -1 : result;
}
