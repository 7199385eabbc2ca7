// Judge: stops a worker and verifies that every thread has stopped.
#define _GNU_SOURCE
#include "processes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Returns the state letter of a thread, or of the main thread of a process, 0 when it is gone. `folder`: its folder of
// /proc, relative to `at`. `threads`: set to the number of threads of the process, counted after the state was read.
static char state_of(int at, const char *folder, int *threads)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "%s/stat", folder);
    int fd = openat(at, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return 0;
    text[n] = 0;
    // The thread chooses the name before its state, which may contain any character.
    char *end = strrchr(text, ')'), state;
    return end && sscanf(end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &state, threads) == 2
               ? state
               : 0;
}

static int is_stopped(char state) { return state == 'T' || state == 't'; }

int kb_all_stopped(int process)
{
    // A stopped thread starts no others, so the count decides where it is the only one. Listing takes twice as long.
    int threads;
    char main_state = state_of(process, ".", &threads);
    if (main_state != 0 && threads == 1)
        return is_stopped(main_state) ? 1 : main_state == 'Z' || main_state == 'X' ? -1 : 0;
    int tasks = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks < 0)
        return -1;
    DIR *list = fdopendir(tasks);
    int stopped = 1, alive = 0;
    for (struct dirent *entry; stopped && (entry = readdir(list));) {
        if (entry->d_name[0] == '.')
            continue;
        char state = state_of(tasks, entry->d_name, &threads);
        if (is_stopped(state))
            alive = 1;
        else if (state != 0 && state != 'Z' && state != 'X')
            stopped = 0;
    }
    closedir(list);
    return !stopped ? 0 : alive ? 1 : -1;
}

int64_t kb_processor_time(int pid);

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : -1;
}

// A stopped process mostly leaves its core at once; on a busy machine it has to get one first, which takes longer if the
// judge polls.
enum { POLL_NS = 200000, PAUSE_NS = 50000 };

// Stops the process `pid` of pidfd, whose /proc directory is open as `process`. Returns the processor time of all its
// threads in ns once they have stopped; -1: the process is gone; -2: timeout. Checks until two in a row show every
// thread stopped and no processor time used between them, since a thread that started during a check was not seen.
int64_t kb_freeze(int pidfd, int process, int pid, uint64_t timeout_ns)
{
    const struct timespec pause = {0, PAUSE_NS};
    int64_t start = clock_ns(CLOCK_MONOTONIC), end = start + (int64_t)timeout_ns, before = -1;
    for (;;) {
        if (syscall(SYS_pidfd_send_signal, pidfd, SIGSTOP, NULL, 0) != 0)
            return -1;
        int stopped;
        while ((stopped = kb_all_stopped(process)) == 0) {
            int64_t now = clock_ns(CLOCK_MONOTONIC);
            if (now > end)
                return -2;
            if (now - start < POLL_NS)
                sched_yield();
            else
                nanosleep(&pause, NULL);
        }
        int64_t used = kb_processor_time(pid);
        if (stopped < 0 || used < 0)
            return -1;
        if (used == before)
            return used;
        if (clock_ns(CLOCK_MONOTONIC) > end)
            return -2;
        before = used;
    }
}

// Returns the processor time of all threads of a process so far in ns; -1: the process is gone.
int64_t kb_processor_time(int pid)
{
    return clock_ns((clockid_t)(~(unsigned)pid << 3 | 2)); // MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED), linux/posix-timers.h
}

int kb_thaw(int pidfd) { return syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0) == 0 ? 0 : -1; }
int kb_kill(int pidfd) { return syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0 ? 0 : -1; }

// Judge: dies with its parent, and denies other processes of its user access to its memory.
int kb_guard(int parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0)
        return -1;
    if (getppid() != parent)
        _exit(1);
    return 0;
}
