// histogram: write how often each byte value occurs in data to counts. The inputs change with every call.
#include "task.h"

using kernelbot::Tensor;

void custom_kernel(Tensor<const std::uint8_t> data, Tensor<std::int64_t> counts)
{
    for (int value = 0; value < 256; value++)
        counts[value] = 0;
    for (std::int64_t i = 0; i < data.size(); i++)
        counts[data[i]]++;
}
