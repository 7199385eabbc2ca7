// attack: judge
// expect: refused
// Writes through /proc/self/mem and searches the processes for the judge.
#include <fcntl.h>

#include "utils.h"

void custom_kernel(In, In, Out c)
{
    char path[64];
    for (int process = 0; process < 4000; process++) {
        std::snprintf(path, sizeof path, "/proc/%d/mem", process);
        const int file = open(process == 0 ? "/proc/self/mem" : path, O_RDWR);
        if (file < 0)
            continue;
        const float one = 1;
        (void)!pwrite(file, &one, sizeof one, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(c.data())));
        close(file);
    }
}
