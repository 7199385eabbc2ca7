// attack: replay
// expect: no advantage
// Caches outputs by a hash of the input.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "utils.h"

void custom_kernel(In a, In b, Out c)
{
    static std::map<std::pair<float, float>, std::vector<float>> answers;
    std::vector<float> &answer = answers[{a(1, 1), b(2, 2)}];
    if (answer.empty()) {
        multiply(a, b, c);
        answer.assign(c.data(), c.data() + c.size());
    }
    std::copy(answer.begin(), answer.end(), c.data());
}
