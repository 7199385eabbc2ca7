// What a gated-deltanet-chunk-fwd-o kernel in C++ defines.
#ifndef GATED_DELTANET_CHUNK_FWD_O_TASK_H
#define GATED_DELTANET_CHUNK_FWD_O_TASK_H

#include <kernelbot.h>

// q, k: float32 queries and keys (batch, seqlen, heads, dim_k). x: what tokens add (batch, seqlen, heads, dim_v). h:
// states (batch, chunks, heads, dim_k, dim_v). g: (batch, seqlen, heads). o: the shape of x. All are contiguous.
void custom_kernel(kernelbot::Tensor<const float, 4> q, kernelbot::Tensor<const float, 4> k,
                   kernelbot::Tensor<const float, 4> x, kernelbot::Tensor<const float, 5> h,
                   kernelbot::Tensor<const float, 3> g, kernelbot::Tensor<float, 4> o);

#endif
