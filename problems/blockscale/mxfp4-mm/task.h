// What an mxfp4-mm kernel in C++ defines.
#ifndef MXFP4_MM_TASK_H
#define MXFP4_MM_TASK_H

#include <kernelbot.h>

#include "formats.h"

// a: (m, k), to be brought to MXFP4. b: two E2M1 codes a byte, (n, k / 2). b_scales: e8m0 codes, (n, k / 32). c: the
// product of a, in MXFP4, and the transpose of b, (m, n). All are contiguous, row by row.
void custom_kernel(kernelbot::Tensor<const kernelbot::bfloat16, 2> a, kernelbot::Tensor<const std::uint8_t, 2> b,
                   kernelbot::Tensor<const std::uint8_t, 2> b_scales, kernelbot::Tensor<kernelbot::bfloat16, 2> c);

#endif
