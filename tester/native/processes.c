// The state of other processes, from /proc and their clocks.
#define _GNU_SOURCE
#include "processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

int64_t kb_processor_time(int pid)
{
    // MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED) of linux/posix-timers.h
    const clockid_t clock = (clockid_t)(~(unsigned)pid << 3 | 2);
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : -1;
}

// The kernel counts the time of a thread when it leaves its core, at the next tick, or when its policy changes. It fails
// for a thread that has chosen a policy of its own, whose time is then counted later.
static void count_time_of_thread(pid_t thread)
{
    const struct sched_param none = {0};
    if (sched_setscheduler(thread, SCHED_BATCH, &none) == 0)
        sched_setscheduler(thread, SCHED_OTHER, &none);
}

void count_processor_time(int pid, int tasks)
{
    struct stat folder;
    count_time_of_thread(pid);
    // The folder has a link for each thread, and two of its own.
    if (fstat(tasks, &folder) != 0 || folder.st_nlink <= 3)
        return;
    int again = openat(tasks, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);
    if (!list)
        return;
    for (struct dirent *entry; (entry = readdir(list));)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != pid)
            count_time_of_thread(atoi(entry->d_name));
    closedir(list);
}
