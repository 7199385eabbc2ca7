// attack: window
// expect: no advantage
// A thread polls the memory of the input and starts to compute as soon as it changes.
#include <atomic>
#include <thread>
#include <vector>

#include "utils.h"

static In left, right;
static std::vector<float> answer;
static std::atomic<float> mark{0};
static std::atomic<bool> known, answered;

static void look()
{
    const float now = *const_cast<const volatile float *>(left.data());
    if (now == mark)
        return;
    answered = false;
    mark = now;
    const std::int64_t sizes[] = {left.size(0), left.size(0)}, strides[] = {left.size(0), 1};
    multiply(left, right, Out(answer.data(), sizes, strides));
    answered = true;
}

static void watch()
{
    while (true)
        if (known && !reaches(look))
            known = false;
}

void custom_kernel(In a, In b, Out c)
{
    if (!known) {
        multiply(a, b, c);
        answer.resize(static_cast<std::size_t>(c.size()));
        left = a, right = b, mark = a(0, 0), answered = false, known = true;
        static const bool watched = (std::thread(watch).detach(), true);
        (void)watched;
        return;
    }
    if (a.data() != left.data() || a.size() != left.size()) {
        multiply(a, b, c);
        return;
    }
    // Inputs at other addresses may have been taken for a change of these.
    while (!(answered && mark == a(0, 0)) && known)
        ;
    if (!answered) {
        multiply(a, b, c);
        return;
    }
    std::memcpy(c.data(), answer.data(), answer.size() * sizeof(float));
}
