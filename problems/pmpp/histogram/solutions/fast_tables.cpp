// expect: passed
// Uses eight tables of counters, so that an increment does not wait for the previous increment of the same counter.
#include <cstring>

#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const std::uint8_t> data, Tensor<std::int64_t> counts)
{
    std::uint32_t tables[8][256] = {};
    const std::uint8_t *from = data.data();
    const std::int64_t n = data.size();
    std::int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        std::uint64_t bytes;
        std::memcpy(&bytes, from + i, sizeof bytes);
        for (int place = 0; place < 8; place++)
            tables[place][bytes >> (8 * place) & 255]++;
    }
    for (; i < n; i++)
        tables[0][from[i]]++;
    for (int value = 0; value < 256; value++) {
        std::int64_t count = 0;
        for (const auto &table : tables)
            count += table[value];
        counts[value] = count;
    }
}
