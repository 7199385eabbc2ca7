// What an nvfp4-dual-gemm kernel in C++ defines.
#ifndef NVFP4_DUAL_GEMM_TASK_H
#define NVFP4_DUAL_GEMM_TASK_H

#include <kernelbot.h>

#include "formats.h"

// a, b1, b2: two E2M1 codes a byte, (m, k / 2) and twice (n, k / 2). Scales: E4M3 codes, (m, k / 16) and twice
// (n, k / 16). alpha: the factors of both products. c: silu of the first times the second, (m, n). All are contiguous,
// row by row.
void custom_kernel(kernelbot::Tensor<const std::uint8_t, 2> a, kernelbot::Tensor<const std::uint8_t, 2> a_scales,
                   kernelbot::Tensor<const std::uint8_t, 2> b1, kernelbot::Tensor<const std::uint8_t, 2> b1_scales,
                   kernelbot::Tensor<const std::uint8_t, 2> b2, kernelbot::Tensor<const std::uint8_t, 2> b2_scales,
                   kernelbot::Tensor<const float> alpha, kernelbot::Tensor<kernelbot::half, 2> c);

#endif
