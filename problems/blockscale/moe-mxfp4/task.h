// What a moe-mxfp4 kernel in C++ defines.
#ifndef MOE_MXFP4_TASK_H
#define MOE_MXFP4_TASK_H

#include <kernelbot.h>

#include "formats.h"

// x, y: (bs, dhidden). experts, weights: (bs, nexpertspertoken). gate_up: two E2M1 codes a byte,
// (all experts, 2 * dexpert, dhidden / 2). down: (all experts, dhidden, dexpert / 2). Scales: e8m0 codes, one for 32
// elements of a row. All are contiguous, row by row.
void custom_kernel(kernelbot::Tensor<const kernelbot::bfloat16, 2> x, kernelbot::Tensor<const std::int32_t, 2> experts,
                   kernelbot::Tensor<const float, 2> weights, kernelbot::Tensor<const std::uint8_t, 3> gate_up,
                   kernelbot::Tensor<const std::uint8_t, 3> gate_up_scales,
                   kernelbot::Tensor<const std::uint8_t, 3> down, kernelbot::Tensor<const std::uint8_t, 3> down_scales,
                   std::int64_t nsharedexperts, kernelbot::Tensor<kernelbot::bfloat16, 2> y);

#endif
