// Judge: stops a worker and verifies that every thread has stopped.
#define _GNU_SOURCE
#include "awake.h"
#include "processes.h"
#include "waiting.h"

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
// /proc, relative to `at`. `threads`: set to the number of threads of the process, counted after the state was read;
// `core`: to the core on which the thread ran last.
static char state_of(int at, const char *folder, int *threads, int *core)
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
    return end && sscanf(end,
                         ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d %*s %*s %*s %*s %*s "
                         "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
                         &state, threads, core) == 3
               ? state
               : 0;
}

static int is_stopped(char state) { return state == 'T' || state == 't'; }

int kb_all_stopped(int process)
{
    int threads, core, running = 0;
    char main_state = state_of(process, ".", &threads, &core);
    if (main_state != 0 && threads == 1)
        return is_stopped(main_state) ? 1 : main_state == 'Z' || main_state == 'X' ? -1 : 0;
    int tasks = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks < 0)
        return -1;
    DIR *list = fdopendir(tasks);
    // A main thread that has ended is counted until all others have.
    int stopped = main_state == 'Z';
    for (struct dirent *entry; !running && (entry = readdir(list));) {
        if (entry->d_name[0] == '.')
            continue;
        char state = state_of(tasks, entry->d_name, &threads, &core);
        stopped += is_stopped(state);
        running = !is_stopped(state) && state != 0 && state != 'Z' && state != 'X';
    }
    closedir(list);
    // Stopped threads start no others: they are all where the process had no more when the last one was read.
    return running ? 0 : stopped == (main_state == 'Z') ? -1 : stopped == threads;
}

int last_core(int process)
{
    int threads, core;
    return state_of(process, ".", &threads, &core) != 0 ? core : -1;
}

int64_t kb_processor_time(int pid);

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : -1;
}

// A stopped process mostly leaves its core at once; on a busy machine it has to get one first, which takes longer if the
// judge polls.
enum { POLL_NS = 200000, PAUSE_NS = 50000, MOST_READINGS = 50 };

// Returns the processor time of a process that has stopped, as kb_processor_time, once it no longer grows. A thread shows
// as stopped some microseconds before it leaves its core, and only then is its time there counted.
static int64_t time_after_leaving(int pid, uint64_t leaving_ns)
{
    int64_t used = kb_processor_time(pid), before = -1;
    for (int readings = 0; leaving_ns > 0 && used != before && readings < MOST_READINGS; readings++) {
        for (uint64_t start = now(); now() - start < leaving_ns;)
            relax();
        before = used;
        used = kb_processor_time(pid);
    }
    return used;
}

// Stops the process `pid` of pidfd, whose /proc directory is open as `process`. Returns the processor time of all its
// threads in ns once they have stopped; -1: the process is gone; -2: timeout. The time is complete once it has not
// changed for `leaving_ns`.
int64_t kb_freeze(int pidfd, int process, int pid, uint64_t timeout_ns, uint64_t leaving_ns)
{
    const struct timespec pause = {0, PAUSE_NS};
    int64_t start = clock_ns(CLOCK_MONOTONIC);
    if (syscall(SYS_pidfd_send_signal, pidfd, SIGSTOP, NULL, 0) != 0)
        return -1;
    int stopped;
    while ((stopped = kb_all_stopped(process)) == 0) {
        int64_t took = clock_ns(CLOCK_MONOTONIC) - start;
        if (took > (int64_t)timeout_ns)
            return -2;
        if (took < POLL_NS)
            sched_yield();
        else
            nanosleep(&pause, NULL);
    }
    one_is_stopped();
    return stopped < 0 ? -1 : time_after_leaving(pid, leaving_ns);
}

// Returns the processor time of all threads of a process so far in ns; -1: the process is gone.
int64_t kb_processor_time(int pid)
{
    return clock_ns((clockid_t)(~(unsigned)pid << 3 | 2)); // MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED), linux/posix-timers.h
}

int kb_thaw(int pidfd)
{
    one_may_run();
    return syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0) == 0 ? 0 : -1;
}

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
