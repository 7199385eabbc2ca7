#ifndef KERNELBOT_AWAKE_H
#define KERNELBOT_AWAKE_H

// Sets whether the core of a stopped worker is kept awake.
void kb_keep_awake(int wanted);

// Keeps this core awake until a process may run, and returns once it is.
void wake_core(int core);

// Every process of the run is stopped: the core last named is kept awake until `all_may_run`.
void all_are_stopped(void);
void all_may_run(void);

#endif
