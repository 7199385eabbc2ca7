// attack: replay
// expect: refused
// Caches outputs by the address of the input.
#include <algorithm>
#include <map>
#include <vector>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    static std::map<const float *, std::vector<float>> answers;
    std::vector<float> &answer = answers[a.data()];
    if (answer.empty()) {
        multiply(a, b, c);
        answer.assign(c.data(), c.data() + c.size());
    }
    std::copy(answer.begin(), answer.end(), c.data());
}
