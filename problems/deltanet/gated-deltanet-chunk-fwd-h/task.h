// What a gated-deltanet-chunk-fwd-h kernel in C++ defines.
#ifndef GATED_DELTANET_CHUNK_FWD_H_TASK_H
#define GATED_DELTANET_CHUNK_FWD_H_TASK_H

#include <kernelbot.h>

// k: float32 keys (batch, seqlen, heads, dim_k). w: the shape of k. u: (batch, seqlen, heads, dim_v). g: (batch,
// seqlen, heads). initial: the first state (batch, heads, dim_k, dim_v). h: states (batch, chunks, heads, dim_k,
// dim_v). x: the shape of u. last: the shape of initial. All are contiguous.
void custom_kernel(kernelbot::Tensor<const float, 4> k, kernelbot::Tensor<const float, 4> w,
                   kernelbot::Tensor<const float, 4> u, kernelbot::Tensor<const float, 3> g,
                   kernelbot::Tensor<const float, 4> initial, kernelbot::Tensor<float, 5> h,
                   kernelbot::Tensor<float, 4> x, kernelbot::Tensor<float, 4> last);

#endif
