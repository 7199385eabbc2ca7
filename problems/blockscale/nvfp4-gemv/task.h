// What an nvfp4-gemv kernel in C++ defines.
#ifndef NVFP4_GEMV_TASK_H
#define NVFP4_GEMV_TASK_H

#include <kernelbot.h>

#include "formats.h"

// a, b: two E2M1 codes a byte, (l, m, k / 2) and (l, k / 2). Scales: E4M3 codes, (l, m, k / 16) and (l, k / 16).
// alpha: (l). c: alpha times the product of each matrix and its vector, (l, m). All are contiguous, row by row.
void custom_kernel(kernelbot::Tensor<const std::uint8_t, 3> a, kernelbot::Tensor<const std::uint8_t, 3> a_scales,
                   kernelbot::Tensor<const std::uint8_t, 2> b, kernelbot::Tensor<const std::uint8_t, 2> b_scales,
                   kernelbot::Tensor<const float> alpha, kernelbot::Tensor<kernelbot::half, 2> c);

#endif
