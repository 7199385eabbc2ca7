// attack: limits
// expect: refused
// Throws a type whose mangled name is short and whose demangled name has megabytes.
#include "utils.h"

template <class A, class B> struct Pair {};
template <class T, int N> struct Twice : Twice<Pair<T, T>, N - 1> {};
template <class T> struct Twice<T, 0> { using type = T; };

void custom_kernel(In, In, Out) { throw Twice<int, 19>::type{}; }
