// What an fp8-quant kernel in C++ defines.
#ifndef FP8_QUANT_TASK_H
#define FP8_QUANT_TASK_H

#include <kernelbot.h>

// x: float32 activations (tokens, hidden). q: E4M3FN codes (tokens, hidden). s: scales (tokens, hidden / group). All
// are contiguous.
void custom_kernel(kernelbot::Tensor<const float, 2> x, kernelbot::Tensor<std::uint8_t, 2> q,
                   kernelbot::Tensor<float, 2> s);

#endif
