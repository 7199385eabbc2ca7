// What an nvfp4-gemm kernel in C++ defines.
#ifndef NVFP4_GEMM_TASK_H
#define NVFP4_GEMM_TASK_H

#include <kernelbot.h>

#include "formats.h"

// a, b: two E2M1 codes a byte, (m, k / 2) and (n, k / 2). Scales: E4M3 codes, (m, k / 16) and (n, k / 16). alpha: one
// number. c: alpha times the product of a and the transpose of b, (m, n). All are contiguous, row by row.
void custom_kernel(kernelbot::Tensor<const std::uint8_t, 2> a, kernelbot::Tensor<const std::uint8_t, 2> a_scales,
                   kernelbot::Tensor<const std::uint8_t, 2> b, kernelbot::Tensor<const std::uint8_t, 2> b_scales,
                   kernelbot::Tensor<const float> alpha, kernelbot::Tensor<kernelbot::half, 2> c);

#endif
