// Number formats of 8 and 4 bits for kernels in C++: the same as formats.py for Python.
#ifndef FORMATS_H
#define FORMATS_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace formats {

// E2M1: the low 4 bits of `code`.
inline float e2m1(unsigned code)
{
    static const float values[16] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};
    return values[code & 15];
}

// The code of the number of E2M1 that is nearest to `x`, of two equally near the even code; at most 6.
inline std::uint8_t to_e2m1(float x)
{
    const float size = std::fabs(x);
    const int code = size <= 0.25f   ? 0
                     : size < 0.75f  ? 1
                     : size <= 1.25f ? 2
                     : size < 1.75f  ? 3
                     : size <= 2.5f  ? 4
                     : size < 3.5f   ? 5
                     : size <= 5     ? 6
                                     : 7;
    return std::signbit(x) ? code + 8 : code;
}

inline float of_bits(std::uint32_t bits)
{
    float number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

// E4M3FN.
inline float e4m3fn(std::uint8_t code)
{
    const std::uint32_t sign = code >> 7, exponent = code >> 3 & 15, mantissa = code & 7;
    if ((code & 127) == 127)
        return NAN;
    const float magnitude = exponent ? of_bits((exponent + 120) << 23 | mantissa << 20) : mantissa * 0x1p-9f;
    return sign ? -magnitude : magnitude;
}

// e8m0: a power of two, the smallest of which is no normal float.
inline float e8m0(std::uint8_t code)
{
    return code == 255 ? NAN : code == 0 ? 0x1p-127f : of_bits(std::uint32_t(code) << 23);
}

} // namespace formats

#endif
