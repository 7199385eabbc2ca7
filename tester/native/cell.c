// The cell: what one worker is shut into. The zygote forks a keeper, which makes the namespaces and forks the worker as
// process 1 of them; the worker closes the door behind itself. What the keeper does then is in keeper.c.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int kb_filter_syscalls(int harness, int door);

struct limits {
    uint64_t memory_bytes;  // address space, in addition to what the process has mapped already
    uint64_t scratch_bytes; // of /tmp and of each file
    uint64_t threads;
    uint64_t open_files;
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

// Keeper: dies with the zygote.
int kb_follow_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

// Keeper: new namespaces; the next process that it forks is process 1 of them. 0, or -1 with errno.
int kb_make_cell(void)
{
    char map[64];
    unsigned uid = getuid(), gid = getgid();
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) != 0)
        return -1;
    if (write_text("/proc/self/setgroups", "deny") != 0 && errno != ENOENT)
        return -1;
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    if (write_text("/proc/self/uid_map", map) != 0)
        return -1;
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    return write_text("/proc/self/gid_map", map);
}

// In its namespace the worker is process 1, for which the kernel drops signals without a handler: abort() needs one.
// 134 is what a shell reports for SIGABRT.
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

static uint64_t mapped_bytes(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f) {
        if (fscanf(f, "%lu", &pages) != 1)
            pages = 0;
        fclose(f);
    }
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

// Worker, with or without a cell: limits that hold even for a trusted mistake.
int kb_limit(const struct limits *l, int sandboxed)
{
    struct sigaction abort_action = {.sa_handler = on_abort};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (sandboxed && (sigaction(SIGABRT, &abort_action, NULL) != 0 || limit(RLIMIT_NPROC, l->threads) != 0))
        return -1;
    if (limit(RLIMIT_AS, mapped_bytes() + l->memory_bytes) != 0)
        return -1;
    return limit(RLIMIT_FSIZE, l->scratch_bytes) || limit(RLIMIT_NOFILE, l->open_files) || limit(RLIMIT_CORE, 0) ||
           limit(RLIMIT_MSGQUEUE, 0);
}

// Worker: its own /proc and scratch. 0, or -1 with errno.
int kb_furnish_cell(const struct limits *l)
{
    char options[96];
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return -1;
    if (mount("proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
        return -1;
    snprintf(options, sizeof options, "size=%llu,nr_inodes=4096,mode=700", (unsigned long long)l->scratch_bytes);
    if (mount("scratch", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
        return -1;
    if (mount("shared", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) != 0)
        return -1;
    // No terminals: a hang-up of one would make a stopped process go on.
    if (mount("none", "/dev/pts", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") != 0 && errno != ENOENT)
        return -1;
    return chdir("/tmp") != 0 || sethostname("worker", 6) != 0 ? -1 : 0;
}

// Worker: a folder of files that will not change: write them after `begin`, then `end`. Nobody can unmount or move it.
int kb_begin_folder(const char *path, const struct limits *l)
{
    char options[96];
    snprintf(options, sizeof options, "size=%llu,nr_inodes=4096,mode=700", (unsigned long long)l->scratch_bytes);
    return mount("files", path, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

int kb_end_folder(const char *path) { return mount(NULL, path, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL); }

// Worker: no capability, no way back, and the filter. `harness`: processes may be started at all times; else when the
// keeper, at the other end of `door`, lets them. 0; 1: the kernel offers no way to ask it, so none ever; -1 with errno.
int kb_close_cell(int harness, int door)
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
    return kb_filter_syscalls(harness, door);
}
