// What an fp8-mm kernel in C++ defines.
#ifndef FP8_MM_TASK_H
#define FP8_MM_TASK_H

#include <kernelbot.h>

#include "formats.h"

// a, b: E4M3FN codes, (m, k) and (n, k). Scales: (m, k / 128) and (ceil(n / 128), k / 128). c: the product of a and the
// transpose of b, (m, n). All are contiguous, row by row.
void custom_kernel(kernelbot::Tensor<const std::uint8_t, 2> a, kernelbot::Tensor<const float, 2> a_scales,
                   kernelbot::Tensor<const std::uint8_t, 2> b, kernelbot::Tensor<const float, 2> b_scales,
                   kernelbot::Tensor<kernelbot::bfloat16, 2> c);

#endif
