// attack: window
// expect: refused
// Returns at once and computes in a thread afterwards.
#include <thread>

#include "utils.h"

void custom_kernel(In a, In b, Out c) { std::thread(multiply, a, b, c).detach(); }
