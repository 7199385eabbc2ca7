// What an nvfp4-group-gemm kernel in C++ defines.
#ifndef NVFP4_GROUP_GEMM_TASK_H
#define NVFP4_GROUP_GEMM_TASK_H

#include <vector>

#include <kernelbot.h>

#include "formats.h"

// a, b: two E2M1 codes a byte, (sum of m, k / 2) and (groups, n, k / 2). Scales: E4M3 codes, (sum of m, k / 16) and
// (groups, n, k / 16). alpha: (groups). m: the heights of the groups. c: alpha times the product of each group's rows
// of a and the transpose of its b, (sum of m, n). All are contiguous, row by row.
void custom_kernel(kernelbot::Tensor<const std::uint8_t, 2> a, kernelbot::Tensor<const std::uint8_t, 2> a_scales,
                   kernelbot::Tensor<const std::uint8_t, 3> b, kernelbot::Tensor<const std::uint8_t, 3> b_scales,
                   kernelbot::Tensor<const float> alpha, const std::vector<std::int64_t> &m,
                   kernelbot::Tensor<kernelbot::half, 2> c);

#endif
