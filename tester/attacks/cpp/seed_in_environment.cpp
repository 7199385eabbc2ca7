// attack: judge
// expect: refused
// Searches the environment, the command line and the auxiliary vector for the seed, and writes what it finds.
#include "utils.h"

void custom_kernel(In, In, Out c)
{
    for (const char *path : {"/proc/1/environ", "/proc/self/environ", "/proc/self/cmdline", "/proc/self/auxv"})
        if (std::FILE *file = std::fopen(path, "rb")) {
            (void)!std::fread(c.data(), sizeof(float), static_cast<std::size_t>(c.size()), file);
            std::fclose(file);
        }
}
