// attack: replay
// expect: refused
// Searches the disk for outputs of an earlier run, and leaves its own there.
#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    std::FILE *file = std::fopen("/dev/shm/answer", "rb");
    if (!file)
        file = std::fopen("/tmp/answer", "rb");
    if (file) {
        (void)!std::fread(c.data(), sizeof(float), static_cast<std::size_t>(c.size()), file);
        std::fclose(file);
        return;
    }
    multiply(a, b, c);
    for (const char *path : {"/dev/shm/answer", "/tmp/answer"})
        if (std::FILE *kept = std::fopen(path, "wb")) {
            std::fwrite(c.data(), sizeof(float), static_cast<std::size_t>(c.size()), kept);
            std::fclose(kept);
        }
}
