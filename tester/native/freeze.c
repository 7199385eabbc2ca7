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

// Returns the state letter of one thread, 0 when it is gone. The thread chooses the name before it, which may contain
// any character.
static char thread_state(int tasks, const char *tid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "%s/stat", tid);
    int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0)
        return 0;
    text[n] = 0;
    char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : 0;
}

int kb_all_stopped(int process)
{
    int tasks = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks < 0)
        return -1;
    DIR *list = fdopendir(tasks);
    int stopped = 1, alive = 0;
    for (struct dirent *entry; stopped && (entry = readdir(list));) {
        if (entry->d_name[0] == '.')
            continue;
        char state = thread_state(tasks, entry->d_name);
        if (state == 'T' || state == 't')
            alive = 1;
        else if (state != 0 && state != 'Z' && state != 'X')
            stopped = 0;
    }
    closedir(list);
    return !stopped ? 0 : alive ? 1 : -1;
}

// Stops the process of pidfd, whose /proc directory is open as `process`. Returns 0 when all its threads have stopped;
// -1: the process is gone; -2: timeout.
int kb_freeze(int pidfd, int process, uint64_t timeout_ns)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    int64_t end = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + (int64_t)timeout_ns;
    if (syscall(SYS_pidfd_send_signal, pidfd, SIGSTOP, NULL, 0) != 0)
        return -1;
    for (;;) {
        int stopped = kb_all_stopped(process);
        if (stopped != 0)
            return stopped > 0 ? 0 : -1;
        clock_gettime(CLOCK_MONOTONIC, &t);
        if ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec > end)
            return -2;
        sched_yield();
    }
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
