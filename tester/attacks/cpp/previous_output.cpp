// attack: replay
// expect: refused
// Writes the output of the first call again.
#include <algorithm>
#include <map>
#include <vector>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    static std::map<std::int64_t, std::vector<float>> answers;
    std::vector<float> &answer = answers[c.size()];
    if (answer.empty()) {
        multiply(a, b, c);
        answer.assign(c.data(), c.data() + c.size());
    }
    std::copy(answer.begin(), answer.end(), c.data());
}
