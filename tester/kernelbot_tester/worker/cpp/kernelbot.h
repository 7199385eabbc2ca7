// The types of a C++ kernel's input: views of the judge's tensors. C++17, no dependencies.
//
//     void custom_kernel(kernelbot::Tensor<const float, 2> a, kernelbot::Tensor<float, 2> out)
//     {
//         for (std::int64_t i = 0; i < a.size(0); i++)
//             for (std::int64_t j = 0; j < a.size(1); j++)
//                 out(i, j) = 2 * a(i, j);
//     }
#ifndef KERNELBOT_H
#define KERNELBOT_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__CUDACC__)
#define KERNELBOT_EVERYWHERE __host__ __device__
#else
#define KERNELBOT_EVERYWHERE
#endif

namespace kernelbot {

// View of a tensor: the address of its first element, sizes and strides, both in elements. Copying the view copies no
// element. The view may be passed to device code. `Tensor<const T>` is read-only.
template <class T, int Rank = 1>
class Tensor {
public:
    static_assert(Rank >= 0, "a tensor has no dimension or more");
    using Element = T;

    Tensor() = default;
    Tensor(T *data, const std::int64_t *sizes, const std::int64_t *strides) : data_(data)
    {
        for (int d = 0; d < Rank; d++) {
            sizes_[d] = sizes[d];
            strides_[d] = strides[d];
        }
    }

    KERNELBOT_EVERYWHERE T *data() const { return data_; }

    // Total number of elements.
    KERNELBOT_EVERYWHERE std::int64_t size() const
    {
        std::int64_t all = 1;
        for (int d = 0; d < Rank; d++)
            all *= sizes_[d];
        return all;
    }

    KERNELBOT_EVERYWHERE std::int64_t size(int dimension) const { return sizes_[dimension]; }
    KERNELBOT_EVERYWHERE std::int64_t stride(int dimension) const { return strides_[dimension]; }

    // Whether the elements are contiguous in memory, the last index fastest.
    KERNELBOT_EVERYWHERE bool is_contiguous() const
    {
        std::int64_t expected = 1;
        for (int d = Rank - 1; d >= 0; d--) {
            if (sizes_[d] != 1 && strides_[d] != expected)
                return false;
            expected *= sizes_[d];
        }
        return true;
    }

    // The element at these indices, one for each dimension. Bounds are not checked.
    template <class... Indices>
    KERNELBOT_EVERYWHERE T &operator()(Indices... indices) const
    {
        static_assert(sizeof...(Indices) == Rank, "a tensor takes one index for each of its dimensions");
        const std::int64_t places[Rank + 1] = {static_cast<std::int64_t>(indices)..., 0};
        std::int64_t at = 0;
        for (int d = 0; d < Rank; d++)
            at += places[d] * strides_[d];
        return data_[at];
    }

    KERNELBOT_EVERYWHERE T &operator[](std::int64_t index) const
    {
        static_assert(Rank == 1, "square brackets are for vectors; write t(i, j)");
        return data_[index * strides_[0]];
    }

private:
    T *data_ = nullptr;
    std::int64_t sizes_[Rank + 1] = {};
    std::int64_t strides_[Rank + 1] = {};
};

// The 16 bits of an IEEE 754 half-precision number: torch.float16. Arithmetic uses float; converting back rounds to
// nearest, ties to even.
struct half {
    std::uint16_t bits;

    half() = default;
    KERNELBOT_EVERYWHERE explicit half(float number) : bits(round(number)) {}

    KERNELBOT_EVERYWHERE operator float() const
    {
#if defined(__FLT16_MANT_DIG__) && !defined(__CUDACC__)
        _Float16 number;
        std::memcpy(&number, &bits, sizeof number);
        return static_cast<float>(number);
#else
        const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u, fraction = bits & 1023u;
        if (exponent == 0)
            return (sign ? -1.0f : 1.0f) * static_cast<float>(fraction) * 0x1p-24f;
        const std::uint32_t wide = sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
        float number;
        std::memcpy(&number, &wide, sizeof number);
        return number;
#endif
    }

private:
    KERNELBOT_EVERYWHERE static std::uint16_t round(float number)
    {
#if defined(__FLT16_MANT_DIG__) && !defined(__CUDACC__)
        const _Float16 narrow = static_cast<_Float16>(number);
        std::uint16_t bits;
        std::memcpy(&bits, &narrow, sizeof bits);
        return bits;
#else
        std::uint32_t wide;
        std::memcpy(&wide, &number, sizeof wide);
        const std::uint32_t sign = (wide >> 16) & 0x8000u;
        wide &= 0x7fffffffu;
        std::uint32_t narrow;
        if (wide > 0x7f800000u) {
            narrow = 0x7e00u; // NaN
        } else if (wide >= 0x477ff000u) {
            narrow = 0x7c00u; // infinity, also for numbers that round to it
        } else if (wide >= 0x38800000u) {
            narrow = (wide + 0xfffu + ((wide >> 13) & 1u) - (112u << 23)) >> 13;
        } else {
            // Subnormal: floats next to one half have the spacing 2^-24 of half's subnormals, so adding one half
            // rounds.
            float shifted;
            std::memcpy(&shifted, &wide, sizeof shifted);
            shifted += 0.5f;
            std::memcpy(&narrow, &shifted, sizeof narrow);
            narrow -= 0x3f000000u;
        }
        return static_cast<std::uint16_t>(sign | narrow);
#endif
    }
};

// The 16 bits of a bfloat16: the upper half of a float. Arithmetic uses float; converting back rounds to nearest, ties
// to even.
struct bfloat16 {
    std::uint16_t bits;

    bfloat16() = default;
    KERNELBOT_EVERYWHERE explicit bfloat16(float number)
    {
        std::uint32_t wide;
        std::memcpy(&wide, &number, sizeof wide);
        const bool nan = (wide & 0x7fffffffu) > 0x7f800000u;
        bits = static_cast<std::uint16_t>(nan ? wide >> 16 | 64u : (wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16);
    }

    KERNELBOT_EVERYWHERE operator float() const
    {
        const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
        float number;
        std::memcpy(&number, &wide, sizeof number);
        return number;
    }
};

// A torch.dtype that is a value of its own in the input.
enum class Dtype {
    float16,
    bfloat16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    boolean,
};

} // namespace kernelbot

#endif
