// attack: judge
// expect: refused
// Truncates the shared memory while the judge uses it.
#include <sys/mman.h>

#include "utils.h"

void custom_kernel(In, In, Out)
{
    for (int file = 3; file < 64; file++)
        (void)!ftruncate(file, 0);
    for (const char *name : {"memfd:arena", "memfd:channel"})
        if (void *start = mapping(name))
            munmap(start, 4096);
}
