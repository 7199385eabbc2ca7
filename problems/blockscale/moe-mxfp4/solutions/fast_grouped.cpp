// expect: passed
// Decodes the matrices of each expert once, for all of its tokens.
#include <cmath>
#include <utility>
#include <vector>

#include "task.h"

using kernelbot::bfloat16;
using kernelbot::Tensor;
using Matrices = Tensor<const std::uint8_t, 3>;

static void decode(Matrices codes, Matrices scales, std::int64_t e, std::vector<float> &elements)
{
    const std::int64_t bytes = codes.size(1) * codes.size(2);
    const std::uint8_t *pairs = &codes(e, 0, 0), *powers = &scales(e, 0, 0);
    elements.resize(2 * bytes);
    for (std::int64_t block = 0; block < bytes / 16; block++) {
        const float scale = formats::e8m0(powers[block]);
        for (std::int64_t byte = 16 * block; byte < 16 * block + 16; byte++) {
            elements[2 * byte] = formats::e2m1(pairs[byte]) * scale;
            elements[2 * byte + 1] = formats::e2m1(pairs[byte] >> 4) * scale;
        }
    }
}

static float product(const float *row, const float *vector, std::int64_t k)
{
    float sums[32] = {}, total = 0;
    for (std::int64_t l = 0; l < k; l += 32)
        for (int lane = 0; lane < 32; lane++)
            sums[lane] += row[l + lane] * vector[l + lane];
    for (float sum : sums)
        total += sum;
    return total;
}

void custom_kernel(Tensor<const bfloat16, 2> x, Tensor<const std::int32_t, 2> experts, Tensor<const float, 2> weights,
                   Matrices gate_up, Matrices gate_up_scales, Matrices down, Matrices down_scales,
                   std::int64_t nsharedexperts, Tensor<bfloat16, 2> y)
{
    const std::int64_t bs = x.size(0), dhidden = x.size(1), dexpert = 2 * down.size(2), all = down.size(0);
    std::vector<std::vector<std::pair<std::int64_t, float>>> tokens_of(all);
    for (std::int64_t t = 0; t < bs; t++) {
        for (std::int64_t s = 0; s < experts.size(1); s++)
            tokens_of[experts(t, s)].emplace_back(t, weights(t, s));
        for (std::int64_t e = all - nsharedexperts; e < all; e++)
            tokens_of[e].emplace_back(t, 1.0f);
    }
    std::vector<float> inputs(bs * dhidden), totals(bs * dhidden), first, second, hidden(dexpert);
    for (std::int64_t i = 0; i < bs * dhidden; i++)
        inputs[i] = x.data()[i];
    for (std::int64_t e = 0; e < all; e++) {
        if (tokens_of[e].empty())
            continue;
        decode(gate_up, gate_up_scales, e, first);
        decode(down, down_scales, e, second);
        for (const auto &[t, weight] : tokens_of[e]) {
            const float *token = &inputs[t * dhidden];
            for (std::int64_t i = 0; i < dexpert; i++) {
                const float gate = product(&first[i * dhidden], token, dhidden);
                const float up = product(&first[(dexpert + i) * dhidden], token, dhidden);
                hidden[i] = weight * up * gate / (1 + std::exp(-gate));
            }
            for (std::int64_t i = 0; i < dhidden; i++)
                totals[t * dhidden + i] += product(&second[i * dexpert], hidden.data(), dexpert);
        }
    }
    for (std::int64_t i = 0; i < bs * dhidden; i++)
        y.data()[i] = bfloat16(totals[i]);
}
