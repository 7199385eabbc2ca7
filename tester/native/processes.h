// What /proc tells of the processes of others.
#ifndef KERNELBOT_PROCESSES_H
#define KERNELBOT_PROCESSES_H

// Of the process whose /proc directory is open: 1: every thread is stopped or dead; 0: some still run; -1: it is gone.
int kb_all_stopped(int process);

#endif
