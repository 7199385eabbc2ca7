// Judge: keeps the core of a stopped worker from going idle. A core of a virtual machine needs tens of microseconds to leave
// its idle state, now more, now less, and has lost what its caches held: both would be part of the time of a call.
#define _GNU_SOURCE
#include "awake.h"
#include "processes.h"
#include "waiting.h"

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

// A thread that spins on the core while no other thread wants it.
static struct {
    pid_t process; // whose thread it is: a fork has none
    pthread_t thread;
    int core;      // negative: none yet
    int is_wanted;
    uint32_t spins, is_awake;
} keeper = {.core = -1};

// For how long the judge waits for the thread before a call: on a busy core it gets no time, and is not needed.
enum { AWAKE_NS = 200000 };

static void *spin(void *unused)
{
    const struct sched_param none = {0};
    sched_setscheduler(0, SCHED_IDLE, &none);
    for (;;) {
        while (__atomic_load_n(&keeper.spins, __ATOMIC_ACQUIRE) == 0)
            futex_wait(&keeper.spins, 0, -1);
        __atomic_store_n(&keeper.is_awake, 1, __ATOMIC_RELEASE);
        while (__atomic_load_n(&keeper.spins, __ATOMIC_ACQUIRE) != 0)
            relax();
        __atomic_store_n(&keeper.is_awake, 0, __ATOMIC_RELEASE);
    }
    return unused;
}

void kb_keep_awake(int wanted)
{
    keeper.is_wanted = wanted;
    one_may_run();
}

void one_may_run(void) { __atomic_store_n(&keeper.spins, 0, __ATOMIC_RELEASE); }

void one_is_stopped(void)
{
    if (keeper.is_wanted && keeper.core >= 0 && keeper.process == getpid()) {
        __atomic_store_n(&keeper.spins, 1, __ATOMIC_RELEASE);
        futex_wake(&keeper.spins);
    }
}

void wake_core_of(int process)
{
    int core = keeper.is_wanted ? last_core(process) : -1;
    if (core < 0)
        return;
    if (keeper.process != getpid()) {
        keeper.core = -1, keeper.spins = keeper.is_awake = 0;
        // Signals interrupt what the judge's main thread waits for.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int failed = pthread_create(&keeper.thread, NULL, spin, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (failed)
            return;
        keeper.process = getpid();
    }
    if (keeper.core != core) {
        cpu_set_t cores;
        CPU_ZERO(&cores);
        CPU_SET(core, &cores);
        pthread_setaffinity_np(keeper.thread, sizeof cores, &cores);
        keeper.core = core;
    }
    one_is_stopped();
    for (uint64_t start = now(); __atomic_load_n(&keeper.is_awake, __ATOMIC_ACQUIRE) == 0 && now() - start < AWAKE_NS;)
        relax();
}
