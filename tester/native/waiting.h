// A clock, and waiting for another thread or process that changes a word of memory.
#ifndef KERNELBOT_WAITING_H
#define KERNELBOT_WAITING_H

#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#define relax() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define relax() __asm__ __volatile__("yield")
#else
#define relax() sched_yield()
#endif

// Nanoseconds of a clock that is never adjusted.
static inline uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

// Sleeps while the word has this value, until it is woken or the time is up (never, where it is negative).
static inline void futex_wait(uint32_t *word, uint32_t value, int64_t timeout_ns)
{
    struct timespec t = {timeout_ns / 1000000000, timeout_ns % 1000000000};
    syscall(SYS_futex, word, FUTEX_WAIT, value, timeout_ns < 0 ? NULL : &t, NULL, 0);
}

static inline void futex_wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }

#endif
