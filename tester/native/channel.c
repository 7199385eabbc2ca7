// The hot path of one timed call: release the worker, watch for its answer, stop the clock, sample the outputs.
#define _GNU_SOURCE
#include "awake.h"
#include "channel.h"
#include "processes.h"
#include "waiting.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static void order(struct channel *c, uint32_t number, int32_t binding, uint32_t part)
{
    __atomic_store_n(&c->binding, binding, __ATOMIC_RELAXED);
    __atomic_store_n(&c->part, part, __ATOMIC_RELAXED);
    __atomic_store_n(&c->go, number, __ATOMIC_SEQ_CST);
    futex_wake(&c->go);
}

// ---- worker

// Within a sequence the worker polls for this many nanoseconds before it sleeps, since the next order follows at once.
// After the last call it sleeps at once: what it uses then is added to the call.
enum { ORDER_SPIN_NS = 20000 };

// Waits for the order with this number and returns its binding.
int32_t kb_await_order(struct channel *c, uint32_t number)
{
    int spins = (__atomic_load_n(&c->part, __ATOMIC_RELAXED) & PART_LAST) == 0;
    uint64_t end = now() + ORDER_SPIN_NS;
    uint32_t go;
    for (uint32_t turn = 1; (go = __atomic_load_n(&c->go, __ATOMIC_ACQUIRE)) != number; turn++) {
        if (spins && (turn % 64 != 0 || now() < end))
            relax();
        else
            futex_wait(&c->go, go, -1);
    }
    return __atomic_load_n(&c->binding, __ATOMIC_RELAXED);
}

void kb_say_done(struct channel *c, uint32_t number, uint32_t failed)
{
    __atomic_store_n(&c->failed, failed, __ATOMIC_RELAXED);
    __atomic_store_n(&c->done, number, __ATOMIC_SEQ_CST);
    futex_wake(&c->done);
}

// ---- judge

// Orders a running worker to read its socket.
void kb_order_message(struct channel *c, uint32_t number) { order(c, number, -1, PART_FIRST | PART_LAST); }

// Waits until the worker claims to have completed an order: polls for spin_ns, then sleeps for up to wait_ns more.
// Returns whether it did.
static int done_within(struct channel *c, uint32_t number, uint64_t spin_ns, uint64_t wait_ns)
{
    uint64_t start = now(), t = start;
    for (uint32_t turn = 1; __atomic_load_n(&c->done, __ATOMIC_ACQUIRE) != number; turn++) {
        if (t - start < spin_ns) {
            relax();
            if (turn % 64 == 0)
                t = now();
        } else {
            if (t - start >= spin_ns + wait_ns)
                return 0;
            uint32_t done = __atomic_load_n(&c->done, __ATOMIC_ACQUIRE);
            if (done != number)
                futex_wait(&c->done, done, 1000000);
            t = now();
        }
    }
    return 1;
}

static void order_next(struct channel *c, const struct sequence *s)
{
    uint32_t part = (s->finished == 0 ? PART_FIRST : 0) | (s->finished + 1 == s->count ? PART_LAST : 0) | s->burst;
    order(c, s->first + s->finished, s->bindings[s->finished], part);
}

// Waits for the answers of a sequence whose first order is given, and gives the others. Reads the probes of each output
// before the next call is ordered, so that the worker must have written it. Returns the time since t0 in ns, measured
// after the last answer and the reading of its probes, or -1 after spin_ns and wait_ns without an answer. Where a pidfd
// is given, the worker is stopped at once. The time includes the reading, since a worker can delay it by punching holes
// into the probed pages. A call that failed ends the sequence.
int64_t kb_watch(struct channel *c, struct sequence *s, uint64_t t0, int pidfd, uint64_t spin_ns, uint64_t wait_ns)
{
    for (;;) {
        if (!done_within(c, s->first + s->finished, spin_ns, wait_ns))
            return -1;
        struct probes *probes = s->probes[s->finished];
        for (uint32_t i = 0; i < probes->count; i++)
            probes->seen[i] = *(const volatile uint8_t *)probes->places[i];
        s->finished++;
        if (s->finished == s->count || __atomic_load_n(&c->failed, __ATOMIC_RELAXED))
            break;
        order_next(c, s);
    }
    if (s->worker)
        count_processor_time(s->worker, s->tasks);
    s->end_ns = now();
    if (s->worker)
        s->used_ns = kb_processor_time(s->worker);
    syscall(SYS_pidfd_send_signal, pidfd, SIGSTOP, NULL, 0);
    return (int64_t)(s->end_ns - t0);
}

// Sets the first order and thaws the worker, for several workers that are watched together afterwards.
void kb_release(struct channel *c, const struct sequence *s, int pidfd)
{
    order_next(c, s);
    syscall(SYS_pidfd_send_signal, pidfd, SIGCONT, NULL, 0);
    one_may_run();
}

// Starts the clock, thaws the worker with its order already set, and watches as kb_watch does. `process`: the worker's
// /proc directory.
int64_t kb_call(struct channel *c, struct sequence *s, int pidfd, int process, uint64_t spin_ns, uint64_t wait_ns,
                uint64_t *t0)
{
    wake_core_of(process);
    *t0 = now();
    kb_release(c, s, pidfd);
    return kb_watch(c, s, *t0, pidfd, spin_ns, wait_ns);
}

// ---- caches: evict exactly these lines from every core's caches, so that data is cold and code stays warm

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

// Copies without reading the target's lines into the caches, from which they are evicted afterwards.
static void copy_past_caches(uint8_t *to, const uint8_t *from, uint64_t n)
{
    uint64_t at = 0;
    if ((uintptr_t)to % 16 == 0)
        for (; at + 64 <= n; at += 64)
            for (uint64_t part = at; part < at + 64; part += 16)
                _mm_stream_si128((__m128i *)(to + part), _mm_loadu_si128((const __m128i *)(from + part)));
    memcpy(to + at, from + at, n - at);
    _mm_sfence();
}

__attribute__((target("clflushopt"))) static void flush_unordered(uint8_t *from, uint64_t n)
{
    for (uint64_t i = 0; i < n; i += 64)
        _mm_clflushopt(from + i);
    _mm_sfence();
}

void kb_evict(uint8_t *from, uint64_t n)
{
    unsigned a, b, c, d;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 23))) {
        flush_unordered(from, n);
        return;
    }
    for (uint64_t i = 0; i < n; i += 64)
        _mm_clflush(from + i);
    _mm_mfence();
}
#elif defined(__aarch64__)
void kb_evict(uint8_t *from, uint64_t n)
{
    uint64_t ctr;
    __asm__("mrs %0, ctr_el0" : "=r"(ctr));
    uint64_t line = 4ull << ((ctr >> 16) & 15); // CTR_EL0.DminLine: log2 of the words in the smallest line
    for (uint64_t i = 0; i < n; i += line)
        __asm__ __volatile__("dc civac, %0" ::"r"(from + i) : "memory");
    __asm__ __volatile__("dsb ish" ::: "memory");
}
#else
// No flush instruction: read a buffer larger than most last-level caches.
void kb_evict(uint8_t *from, uint64_t n)
{
    static uint8_t other[64 << 20];
    (void)from, (void)n;
    for (uint64_t i = 0; i < sizeof other; i += 64)
        ((volatile uint8_t *)other)[i]++;
}
#endif

#if !defined(__x86_64__)
static void copy_past_caches(uint8_t *to, const uint8_t *from, uint64_t n) { memcpy(to, from, n); }
#endif

// ---- inputs and outputs of a call

// Writes the inputs that have a source, poisons the outputs, evicts both, and chooses the probes. `regions`: first the
// inputs, then the outputs, all of them moved by `shift` bytes. `random`: `poison` bytes that are repeated over each
// output, then 8 bytes for each probe; `each`: probes per output.
void kb_fill(const struct region *regions, uint32_t count, uint32_t inputs, uint64_t shift, const uint8_t *random,
             uint64_t poison, struct probes *probes, uint32_t each)
{
    probes->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *to = regions[i].from + shift;
        uint64_t bytes = regions[i].bytes, number;
        if (regions[i].source != NULL)
            copy_past_caches(to, regions[i].source, bytes);
        for (uint64_t at = 0; i >= inputs && at < bytes; at += poison)
            copy_past_caches(to + at, random, bytes - at < poison ? bytes - at : poison);
        for (uint32_t probe = 0; i >= inputs && bytes > 0 && probe < each; probe++) {
            memcpy(&number, random + poison + 8 * (uint64_t)probes->count, 8);
            probes->places[probes->count++] = to + number % bytes;
        }
        kb_evict(to, bytes);
    }
}

// Whether a probed byte differs from what was read when the worker signalled completion.
int kb_changed(const struct probes *probes)
{
    int changed = 0;
    for (uint32_t i = 0; i < probes->count; i++)
        changed |= *(const volatile uint8_t *)probes->places[i] != probes->seen[i];
    return changed;
}
