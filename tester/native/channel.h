// One page that judge and worker share: the judge writes the first cache line, the worker the second. The judge treats
// everything that it reads here as untrusted.
#ifndef KERNELBOT_CHANNEL_H
#define KERNELBOT_CHANNEL_H

#include <stdint.h>

struct channel {
    uint32_t go;     // number of the latest order; each order has the next number
    int32_t binding; // number of the bound input to call; negative: read a message from the socket instead
    uint32_t part;   // place of the call in its sequence
    char pad1[52];
    uint32_t done;   // number of the latest order that the worker claims to have completed
    uint32_t failed; // 1: a message on the socket describes the error
    double device_ns; // time of the call by the clock of the worker's device; NaN without one
    char pad2[48];
};

// PART_SUBMIT: the order is to submit all calls of a burst to the device, PART_WAIT: to wait for them.
enum { PART_FIRST = 1, PART_LAST = 2, PART_SUBMIT = 4, PART_WAIT = 8 };

// Random addresses in the outputs, read when the worker signals completion.
struct probes {
    const uint8_t **places;
    uint8_t *seen;
    uint32_t count;
};

// Calls without a pause in between. Their orders have the numbers first, first + 1, ...
struct sequence {
    uint32_t first, count;
    uint32_t finished; // number of calls that the worker claims to have completed
    uint32_t burst;    // PART_SUBMIT, PART_WAIT or 0
    const int32_t *bindings;
    struct probes *const *probes;
    int worker;         // process id of the worker, and its open folder /proc/PID/task; 0 where nothing is to be counted
    int tasks;
    int64_t used_ns;  // processor time of the worker when the clock stopped, and when that was
    uint64_t end_ns;
};

// A tensor in memory that the judge has mapped. `source`: what to write there, or NULL.
struct region {
    uint8_t *from;
    uint64_t bytes;
    const uint8_t *source;
};

#endif
