// Host and judge: keep the core of a stopped worker from going idle. A core of a virtual machine needs tens of microseconds to
// leave its idle state, now more, now less, and has lost what its caches held: both would be part of the time of a call.
#define _GNU_SOURCE
#include "awake.h"
#include "processes.h"
#include "waiting.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>

// A process that spins on the core while no other wants it, in memory that it shares with host and judges. It is not a
// thread of theirs: on a busy machine one of so little weight takes seconds to end, and they would wait for it.
static struct {
    pid_t process;
    int core; // negative: none yet
    uint32_t spins, is_awake;
} *spinner;

static int is_wanted;

// For how long the judge waits for it before a call: on a busy core it gets no time, and is not needed.
enum { AWAKE_NS = 200000 };

void kb_share_awake(void)
{
    void *shared = mmap(NULL, sizeof *spinner, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return;
    spinner = shared;
    spinner->core = -1;
}

void kb_spin(int host)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!spinner || getppid() != host)
        return;
    prctl(PR_SET_NAME, "awake");
    // With the policy SCHED_IDLE it would take longer to end: 9 instead of 2 to 5 s beside four busy processes.
    setpriority(PRIO_PROCESS, 0, 19);
    __atomic_store_n(&spinner->process, getpid(), __ATOMIC_RELEASE);
    for (;;) {
        while (__atomic_load_n(&spinner->spins, __ATOMIC_ACQUIRE) == 0)
            futex_wait(&spinner->spins, 0, -1);
        __atomic_store_n(&spinner->is_awake, 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&spinner->spins, __ATOMIC_ACQUIRE) != 0)
            relax();
        __atomic_store_n(&spinner->is_awake, 0, __ATOMIC_RELEASE);
    }
}

void kb_keep_awake(int wanted)
{
    is_wanted = wanted;
    one_may_run();
}

void one_may_run(void)
{
    if (spinner)
        __atomic_store_n(&spinner->spins, 0, __ATOMIC_RELEASE);
}

void one_is_stopped(void)
{
    if (is_wanted && spinner && spinner->core >= 0) {
        __atomic_store_n(&spinner->spins, 1, __ATOMIC_RELEASE);
        futex_wake(&spinner->spins);
    }
}

void wake_core_of(int process)
{
    pid_t pid = is_wanted && spinner ? __atomic_load_n(&spinner->process, __ATOMIC_ACQUIRE) : 0;
    int core = pid ? last_core(process) : -1;
    if (core < 0)
        return;
    if (spinner->core != core) {
        cpu_set_t cores;
        CPU_ZERO(&cores);
        CPU_SET(core, &cores);
        spinner->core = sched_setaffinity(pid, sizeof cores, &cores) == 0 ? core : -1;
        if (spinner->core < 0)
            return;
    }
    one_is_stopped();
    for (uint64_t start = now(); __atomic_load_n(&spinner->is_awake, __ATOMIC_ACQUIRE) == 0 && now() - start < AWAKE_NS;)
        relax();
}
