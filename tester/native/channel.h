// One page that judge and worker share: the judge writes the first line, the worker the second. Nothing that the judge
// reads here is believed to be more than a claim.
#ifndef KERNELBOT_CHANNEL_H
#define KERNELBOT_CHANNEL_H

#include <stdint.h>

struct channel {
    uint32_t go;     // number of the latest order; each order has the next number
    int32_t binding; // which bound input the order is about; negative: read a message from the socket instead
    char pad1[56];
    uint32_t done;   // number of the latest order that the worker says it has carried out
    uint32_t failed; // 1: a message on the socket says what went wrong
    double device_ns; // what the call took on the worker's device by the device's clock; NaN where it has none
    char pad2[48];
};

// Random places of the outputs, read at the moment the worker says that it is done.
struct probes {
    const uint8_t *const *places;
    uint8_t *seen;
    uint32_t count;
};

#endif
