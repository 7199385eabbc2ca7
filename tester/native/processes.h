// Reads the state of other processes from /proc.
#ifndef KERNELBOT_PROCESSES_H
#define KERNELBOT_PROCESSES_H

// Returns the state of the process whose /proc directory is open: 1: every thread is stopped or dead; 0: some still
// run; -1: the process is gone.
int kb_all_stopped(int process);

// Returns the core on which the main thread of the process whose /proc directory is open ran last; -1: it is gone.
int last_core(int process);

#endif
