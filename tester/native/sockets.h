// Sockets that a cell may open; the values are those of `library.py`.
#ifndef KERNELBOT_SOCKETS_H
#define KERNELBOT_SOCKETS_H

enum sockets {
    NO_SOCKETS,
    NETWORK,       // a network of its own, which has only a loopback interface
    LOCAL_SOCKETS, // only AF_UNIX, in a network of its own: CUDA's driver does not start without one
};

#endif
