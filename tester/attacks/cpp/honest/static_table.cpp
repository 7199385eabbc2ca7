// Fills a table of blocks in a static constructor.
#include <algorithm>
#include <utility>
#include <vector>

#include "utils.h"

static const std::vector<std::pair<std::int64_t, std::int64_t>> BLOCKS = [] {
    std::vector<std::pair<std::int64_t, std::int64_t>> all;
    for (std::int64_t start = 0; start < 4096; start += 32)
        all.emplace_back(start, start + 32);
    return all;
}();

void custom_kernel(In a, In b, Out c)
{
    for (const auto &[start, end] : BLOCKS) {
        if (start >= c.size(0))
            break;
        const std::int64_t rows = std::min(end, c.size(0)) - start;
        const std::int64_t from[] = {rows, a.size(1)}, to[] = {rows, c.size(1)};
        const std::int64_t from_strides[] = {a.stride(0), 1}, to_strides[] = {c.stride(0), 1};
        multiply(In(&a(start, 0), from, from_strides), b, Out(&c(start, 0), to, to_strides));
    }
}
