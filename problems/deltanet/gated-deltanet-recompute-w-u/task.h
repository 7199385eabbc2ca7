// What a gated-deltanet-recompute-w-u kernel in C++ defines.
#ifndef GATED_DELTANET_RECOMPUTE_W_U_TASK_H
#define GATED_DELTANET_RECOMPUTE_W_U_TASK_H

#include <kernelbot.h>

// k: float32 keys (batch, seqlen, heads, dim_k). v: values (batch, seqlen, heads, dim_v). beta: (batch, seqlen, heads).
// A: rows of the chunks' matrices (batch, seqlen, heads, 64). g: (batch, seqlen, heads). w: the shape of k. u: the
// shape of v. All are contiguous.
void custom_kernel(kernelbot::Tensor<const float, 4> k, kernelbot::Tensor<const float, 4> v,
                   kernelbot::Tensor<const float, 3> beta, kernelbot::Tensor<const float, 4> A,
                   kernelbot::Tensor<const float, 3> g, kernelbot::Tensor<float, 4> w, kernelbot::Tensor<float, 4> u);

#endif
