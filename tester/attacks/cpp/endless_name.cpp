// attack: limits
// expect: refused
// Throws what has a short name for the loader and one of megabytes for people.
#include "utils.h"

template <class A, class B> struct Pair {};
template <class T, int N> struct Twice : Twice<Pair<T, T>, N - 1> {};
template <class T> struct Twice<T, 0> { using type = T; };

void custom_kernel(In, In, Out) { throw Twice<int, 19>::type{}; }
