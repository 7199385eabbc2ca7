// Uses concepts, ranges, lambdas and an overload with the name of the kernel.
#include <algorithm>
#include <concepts>
#include <ranges>
#include <span>

#include "utils.h"

template <class T>
concept Matrix = requires(T t) {
    { t.size(0) } -> std::convertible_to<std::int64_t>;
    t.data();
};

static std::size_t custom_kernel(std::int64_t rows) { return static_cast<std::size_t>(rows); }

void custom_kernel(In a, In b, Out c)
{
    const std::size_t n = custom_kernel(c.size(1));
    const auto row = [&](const Matrix auto &m, std::int64_t i) { return std::span(&m(i, 0), n); };
    for (const std::int64_t i : std::views::iota(std::int64_t{0}, c.size(0))) {
        const auto result = row(c, i);
        std::ranges::fill(result, 0.0f);
        for (const std::int64_t l : std::views::iota(std::int64_t{0}, a.size(1)))
            for (const std::size_t j : std::views::iota(std::size_t{0}, n))
                result[j] += a(i, l) * row(b, l)[j];
    }
}
