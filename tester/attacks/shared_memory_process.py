# attack: window
# expect: refused
"""Starts a process in its own address space and waits for it as vfork does, which SIGSTOP does not interrupt: the process
computes while the clock is stopped.
"""

import ctypes
import subprocess
import threading

SOURCE = """
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
static char stack[1 << 16];
static volatile float *volatile place[3];
static volatile long size;
static int answer(void *nothing)
{
    for (;;)
        if (size)
            for (long i = 0; i < size; i++)
                for (long j = 0; j < size; j++) {
                    float sum = 0;
                    for (long k = 0; k < size; k++)
                        sum += place[0][i * size + k] * place[1][k * size + j];
                    place[2][i * size + j] = sum;
                }
    return 0;
}
void show(float *a, float *b, float *c, long n) { place[0] = a; place[1] = b; place[2] = c; size = n; }
int start(void) { return clone(answer, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, 0); }
"""
command = ["gcc", "-xc", "-", "-O2", "-shared", "-fPIC", "-o", "/tmp/answer.so"]
subprocess.run(command, input=SOURCE.encode(), check=True)
library = ctypes.CDLL("/tmp/answer.so")
threads = []


def custom_kernel(data):
    library.show(*(ctypes.c_void_p(tensor.data_ptr()) for tensor in data), ctypes.c_long(data[0].shape[0]))
    if not threads:
        threads.append(threading.Thread(target=library.start, daemon=True))
        threads[0].start()
