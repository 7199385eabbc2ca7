// Judge: stops a worker and verifies that every thread has stopped.
#define _GNU_SOURCE
#include "awake.h"
#include "processes.h"
#include "waiting.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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
// changed for `leaving_ns`. `stopped_ns`: set to the time when all were first seen to have stopped.
int64_t kb_freeze(int pidfd, int process, int pid, uint64_t timeout_ns, uint64_t leaving_ns, uint64_t *stopped_ns)
{
    const struct timespec pause = {0, PAUSE_NS};
    uint64_t start = now();
    if (syscall(SYS_pidfd_send_signal, pidfd, SIGSTOP, NULL, 0) != 0)
        return -1;
    int stopped;
    while ((stopped = kb_all_stopped(process)) == 0) {
        uint64_t took = now() - start;
        if (took > timeout_ns)
            return -2;
        if (took < POLL_NS)
            sched_yield();
        else
            nanosleep(&pause, NULL);
    }
    *stopped_ns = now();
    one_is_stopped();
    return stopped < 0 ? -1 : time_after_leaving(pid, leaving_ns);
}

// As kb_processor_time, up to now.
int64_t kb_processor_time_now(int pid, int tasks)
{
    count_processor_time(pid, tasks);
    return kb_processor_time(pid);
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
