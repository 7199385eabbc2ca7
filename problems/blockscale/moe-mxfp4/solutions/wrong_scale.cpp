// expect: wrong_result
// Applies the scale of the first block of a row to the whole row.
#include <cmath>
#include <vector>

#include "task.h"

using kernelbot::bfloat16;
using kernelbot::Tensor;
using Matrices = Tensor<const std::uint8_t, 3>;

// Returns the product of row i of the matrix of expert e and a vector.
static float product(Matrices codes, Matrices scales, std::int64_t e, std::int64_t i, const std::vector<float> &vector)
{
    float total = 0;
    for (std::int64_t byte = 0; byte < codes.size(2); byte++) {
        const unsigned pair = codes(e, i, byte);
        const float sum = vector[2 * byte] * formats::e2m1(pair) + vector[2 * byte + 1] * formats::e2m1(pair >> 4);
        total += formats::e8m0(scales(e, i, 0)) * sum;
    }
    return total;
}

void custom_kernel(Tensor<const bfloat16, 2> x, Tensor<const std::int32_t, 2> experts, Tensor<const float, 2> weights,
                   Matrices gate_up, Matrices gate_up_scales, Matrices down, Matrices down_scales,
                   std::int64_t nsharedexperts, Tensor<bfloat16, 2> y)
{
    const std::int64_t dhidden = x.size(1), dexpert = 2 * down.size(2), routed = experts.size(1);
    std::vector<float> token(dhidden), total(dhidden), hidden(dexpert);
    for (std::int64_t t = 0; t < x.size(0); t++) {
        for (std::int64_t i = 0; i < dhidden; i++) {
            token[i] = x(t, i);
            total[i] = 0;
        }
        for (std::int64_t s = 0; s < routed + nsharedexperts; s++) {
            const std::int64_t e = s < routed ? experts(t, s) : down.size(0) - nsharedexperts + s - routed;
            const float weight = s < routed ? weights(t, s) : 1;
            for (std::int64_t i = 0; i < dexpert; i++) {
                const float gate = product(gate_up, gate_up_scales, e, i, token);
                hidden[i] = gate / (1 + std::exp(-gate)) * product(gate_up, gate_up_scales, e, dexpert + i, token);
            }
            for (std::int64_t i = 0; i < dhidden; i++)
                total[i] += weight * product(down, down_scales, e, i, hidden);
        }
        for (std::int64_t i = 0; i < dhidden; i++)
            y(t, i) = bfloat16(total[i]);
    }
}
