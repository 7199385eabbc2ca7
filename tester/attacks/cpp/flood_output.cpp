// attack: limits
// expect: refused
// Prints without end.
#include "utils.h"

void custom_kernel(In, In, Out)
{
    static char line[1 << 16];
    std::memset(line, 'x', sizeof line);
    while (true)
        (void)!write(1, line, sizeof line);
}
