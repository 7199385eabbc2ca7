// Starts threads that end before the call does.
#include <thread>
#include <vector>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    std::vector<std::thread> threads;
    const std::int64_t half = c.size(0) / 2, rows[] = {0, half, c.size(0)};
    for (int part = 0; part < 2; part++)
        threads.emplace_back([=] {
            const std::int64_t count = rows[part + 1] - rows[part];
            const std::int64_t sizes[] = {count, c.size(1)}, strides[] = {c.stride(0), 1};
            const std::int64_t wide[] = {count, a.size(1)}, steps[] = {a.stride(0), 1};
            multiply(In(&a(rows[part], 0), wide, steps), b, Out(&c(rows[part], 0), sizes, strides));
        });
    for (std::thread &thread : threads)
        thread.join();
}
