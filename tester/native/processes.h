// The state of other processes, from /proc and their clocks.
#ifndef KERNELBOT_PROCESSES_H
#define KERNELBOT_PROCESSES_H

#include <stdint.h>

// Returns the state of the process whose /proc directory is open: 1: every thread is stopped or dead; 0: some still
// run; -1: the process is gone.
int kb_all_stopped(int process);

// Returns the processor time of all threads of a process so far in ns, as far as it is counted; -1: the process is gone.
int64_t kb_processor_time(int pid);

// Makes the kernel count the processor time of a running process up to now. `tasks`: its open folder /proc/PID/task.
void count_processor_time(int pid, int tasks);

// Returns the core on which the main thread of the process whose /proc directory is open ran last; -1: it is gone.
int last_core(int process);

#endif
