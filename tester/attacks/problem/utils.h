// Helpers of C++ attacks that target this tester: access to the memory that the worker shares with the judge.
#ifndef UTILS_H
#define UTILS_H

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <unistd.h>

#include "task.h"

using In = kernelbot::Tensor<const float, 2>;
using Out = kernelbot::Tensor<float, 2>;

// The honest computation.
inline void multiply(In a, In b, Out c)
{
    const std::int64_t m = c.size(0), n = c.size(1), k = a.size(1);
    for (std::int64_t i = 0; i < m; i++) {
        float *row = &c(i, 0);
        std::memset(row, 0, static_cast<std::size_t>(n) * sizeof(float));
        for (std::int64_t l = 0; l < k; l++) {
            const float factor = a(i, l);
            const float *from = &b(l, 0);
            for (std::int64_t j = 0; j < n; j++)
                row[j] += factor * from[j];
        }
    }
}

// Accesses memory that may have been unmapped, and survives the fault. Returns whether all of it was mapped.
template <class Work> bool reaches(Work work)
{
    static thread_local sigjmp_buf way_out;
    std::signal(SIGSEGV, [](int) { siglongjmp(way_out, 1); });
    if (sigsetjmp(way_out, 1) != 0)
        return false;
    work();
    return true;
}

// The page that judge and worker share: tester/native/channel.h.
struct Channel {
    std::uint32_t go;
    std::int32_t binding;
    char pad1[56];
    std::uint32_t done;
    std::uint32_t failed;
};

// Returns the first mapping whose line in /proc/self/maps contains this word; null where there is none.
inline void *mapping(const char *word)
{
    char line[512];
    unsigned long start = 0;
    void *found = nullptr;
    std::FILE *maps = std::fopen("/proc/self/maps", "r");
    while (maps && !found && std::fgets(line, sizeof line, maps))
        if (std::strstr(line, word) && std::sscanf(line, "%lx", &start) == 1)
            found = reinterpret_cast<void *>(start);
    if (maps)
        std::fclose(maps);
    return found;
}

inline volatile Channel *channel()
{
    static auto *page = static_cast<volatile Channel *>(mapping("memfd:channel"));
    return page;
}

// Sends a message to the judge as if the worker did, through every open file that is writable.
inline void say(const char *text)
{
    char message[512];
    const std::uint32_t length = static_cast<std::uint32_t>(std::strlen(text));
    std::memcpy(message, &length, sizeof length);
    std::memcpy(message + sizeof length, text, length);
    for (int file = 3; file < 64; file++)
        (void)!write(file, message, sizeof length + length);
}

#endif
