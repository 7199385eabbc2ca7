// attack: wrong
// expect: refused
// Writes NaN everywhere, which a comparison might accept.
#include <algorithm>
#include <cmath>

#include "utils.h"

void custom_kernel(In, In, Out c) { std::fill(c.data(), c.data() + c.size(), NAN); }
