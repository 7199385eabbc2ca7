#ifndef KERNELBOT_AWAKE_H
#define KERNELBOT_AWAKE_H

// Maps the memory that the spinning process, the host and its judges share. Without it, no core is kept awake.
void kb_share_awake(void);

// Spins where the judge wants it, in a process of its own: a fork of the host, whose number is given. Returns only where
// it cannot.
void kb_spin(int host);

// Sets whether the core of a stopped worker is kept awake. The host does so where a judge ends, however it ends.
void kb_keep_awake(int wanted);

// Keeps the core on which a process ran last awake until one may run, and returns once it is. `process`: its /proc
// directory.
void wake_core_of(int process);

// A process of the run was stopped, mostly the last that ran: the core last named is kept awake until one may run again.
// Where others still run, they are preferred.
void one_is_stopped(void);
void one_may_run(void);

#endif
