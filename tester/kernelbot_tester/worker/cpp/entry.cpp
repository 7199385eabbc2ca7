// Our code, linked with every submission: converts the judge's values to the parameters of `custom_kernel`, as
// declared in the problem's task.h. The judge compares the types of each input with `kernelbot_signature`, which it
// has read before the submission was in the cell, so nothing is checked here. Parameters are created once for each
// input, not for each call.
//
// Compiled once per problem and runner while a submission waits, so it includes little: types of the standard library
// are recognised by their members.
#include "kernelbot.h"
#include "task.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <new>
#include <tuple>
#include <typeinfo>
#include <utility>

#if defined(KERNELBOT_CUDA)
#include <cuda_runtime_api.h>
#endif

using kernelbot::Dtype;
using kernelbot::Tensor;

using Kernel = decltype(custom_kernel);
// Weak, so that task.h can be inspected without a submission.
extern Kernel custom_kernel __attribute__((weak));

namespace {

// A node of the input: `Value` of worker/native_kernel.py.
struct Value {
    std::int64_t whole; // int, bool, the number of a dtype
    double real;
    const char *text;   // `count` bytes
    const Value *items; // `count` nodes; for a dict, keys and values alternate
    void *data;
    const std::int64_t *sizes;
    const std::int64_t *strides;
    std::int64_t count; // negative: None
};

// A growing string.
class Text {
public:
    Text &operator<<(const char *words)
    {
        const std::size_t more = std::strlen(words);
        char *longer = static_cast<char *>(std::realloc(words_, length_ + more + 1));
        if (!longer)
            throw std::bad_alloc();
        words_ = longer;
        std::memcpy(words_ + length_, words, more + 1);
        length_ += more;
        return *this;
    }
    Text &operator<<(int number)
    {
        char digits[16];
        std::snprintf(digits, sizeof digits, "%d", number);
        return *this << digits;
    }
    const char *words() const { return words_ ? words_ : ""; }

private:
    char *words_ = nullptr;
    std::size_t length_ = 0;
};

// The source form of a type's name.
struct Demangled {
    explicit Demangled(const std::type_info &type) : made(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status))
    {
        name = made ? made : type.name();
    }
    ~Demangled() { std::free(made); }
    int status = 0;
    char *made;
    const char *name;
};

constexpr const char *DTYPES[] = {"float16", "bfloat16", "float32", "float64", "int8",
                                  "int16",   "int32",    "int64",   "uint8",   "bool"};

template <class T>
constexpr int dtype_of()
{
    using std::is_same_v;
    constexpr int number = is_same_v<T, kernelbot::half>       ? 0
                           : is_same_v<T, kernelbot::bfloat16> ? 1
                           : is_same_v<T, float>               ? 2
                           : is_same_v<T, double>              ? 3
                           : is_same_v<T, std::int8_t>         ? 4
                           : is_same_v<T, std::int16_t>        ? 5
                           : is_same_v<T, std::int32_t>        ? 6
                           : is_same_v<T, std::int64_t>        ? 7
                           : is_same_v<T, std::uint8_t>        ? 8
                           : is_same_v<T, bool>                ? 9
                                                               : -1;
    static_assert(number >= 0, "no torch.dtype has elements of this type");
    return number;
}

// Describes a type to the judge in JSON, and converts a value to it.
template <class T, class = void>
struct As {
    static_assert(sizeof(T) == 0, "task.h: custom_kernel has a parameter of a type that no value of Python becomes");
};

template <>
struct As<bool> {
    static void type(Text &text) { text << "\"bool\""; }
    static bool of(const Value &value) { return value.whole != 0; }
};

template <class T>
struct As<T, std::enable_if_t<std::is_integral_v<T>>> {
    static void type(Text &text)
    {
        text << "{\"int\": [" << 8 * static_cast<int>(sizeof(T)) << (std::is_signed_v<T> ? ", true]}" : ", false]}");
    }
    static T of(const Value &value) { return static_cast<T>(value.whole); }
};

template <class T>
struct As<T, std::enable_if_t<std::is_floating_point_v<T>>> {
    static void type(Text &text) { text << "\"float\""; }
    static T of(const Value &value) { return static_cast<T>(value.real); }
};

template <>
struct As<Dtype> {
    static void type(Text &text) { text << "\"dtype\""; }
    static Dtype of(const Value &value) { return static_cast<Dtype>(value.whole); }
};

template <class T, int Rank>
struct As<Tensor<T, Rank>> {
    static void type(Text &text)
    {
        text << "{\"tensor\": [\"" << DTYPES[dtype_of<std::remove_const_t<T>>()] << "\", " << Rank
             << (std::is_const_v<T> ? ", false]}" : ", true]}");
    }
    static Tensor<T, Rank> of(const Value &value)
    {
        return Tensor<T, Rank>(static_cast<T *>(value.data), value.sizes, value.strides);
    }
};

// std::string, std::string_view.
template <class T>
struct As<T, std::void_t<typename T::traits_type, decltype(T("", std::size_t{0}))>> {
    static void type(Text &text) { text << "\"str\""; }
    static T of(const Value &value) { return T(value.text, static_cast<std::size_t>(value.count)); }
};

// std::optional.
template <class T>
struct As<T, std::void_t<typename T::value_type, decltype(std::declval<T>().has_value())>> {
    using Inner = typename T::value_type;
    static void type(Text &text)
    {
        text << "{\"optional\": ";
        As<Inner>::type(text);
        text << "}";
    }
    static T of(const Value &value) { return value.count < 0 ? T() : T(As<Inner>::of(value)); }
};

// std::vector.
template <class T>
struct As<T, std::void_t<typename T::value_type, decltype(std::declval<T &>().reserve(1)),
                         std::enable_if_t<!std::is_constructible_v<T, const char *>>>> {
    using Inner = typename T::value_type;
    static void type(Text &text)
    {
        text << "{\"list\": ";
        As<Inner>::type(text);
        text << "}";
    }
    static T of(const Value &value)
    {
        T all;
        all.reserve(static_cast<std::size_t>(value.count));
        for (std::int64_t i = 0; i < value.count; i++)
            all.push_back(As<Inner>::of(value.items[i]));
        return all;
    }
};

template <class... Ts>
void types(Text &text)
{
    int place = 0;
    text << "[";
    ((text << (place++ ? ", " : ""), As<Ts>::type(text)), ...);
    text << "]";
}

template <class... Ts>
struct As<std::tuple<Ts...>> {
    static void type(Text &text)
    {
        text << "{\"tuple\": ";
        types<Ts...>(text);
        text << "}";
    }
    static std::tuple<Ts...> of(const Value &value) { return each(value.items, std::index_sequence_for<Ts...>()); }

private:
    template <std::size_t... I>
    static std::tuple<Ts...> each([[maybe_unused]] const Value *items, std::index_sequence<I...>)
    {
        return {As<Ts>::of(items[I])...};
    }
};

struct FieldTypes {
    Text &text;
    int place = 0;
    template <class T>
    void operator()(const char *name, T &)
    {
        text << (place++ ? ", [\"" : "[\"") << name << "\", ";
        As<T>::type(text);
        text << "]";
    }
};

struct FieldValues {
    const Value &dict;
    template <class T>
    void operator()(const char *name, T &field)
    {
        for (std::int64_t i = 0; i < dict.count; i += 2)
            if (std::strcmp(dict.items[i].text, name) == 0)
                field = As<T>::of(dict.items[i + 1]);
    }
};

// A struct that lists its fields: `template <class F> void fields(F field) { field("stride", stride); }`.
template <class T>
struct As<T, std::void_t<decltype(std::declval<T &>().fields(std::declval<FieldValues &>()))>> {
    static void type(Text &text)
    {
        T example{};
        FieldTypes names{text};
        text << "{\"dict\": [";
        example.template fields<FieldTypes &>(names);
        text << "]}";
    }
    static T of(const Value &value)
    {
        T made{};
        FieldValues values{value};
        made.template fields<FieldValues &>(values);
        return made;
    }
};

template <class F>
struct Function {
    static_assert(sizeof(F) == 0, "task.h: custom_kernel returns void; results go into the output buffers");
};

template <class... Ps>
struct Function<void(Ps...)> {
    using Parameters = std::tuple<std::decay_t<Ps>...>;
    static Text type()
    {
        Text text;
        text << "{\"parameters\": ";
        types<std::decay_t<Ps>...>(text);
        return text << ", \"function\": \"" << Demangled(typeid(void(Ps...))).name << "\"}";
    }
};

using Parameters = Function<Kernel>::Parameters;

enum Outcome { FINE, CRASHED, OUT_OF_MEMORY };

} // namespace

#define KERNELBOT_EXPORT extern "C" __attribute__((visibility("default")))

// Returns the parameters and the type of `custom_kernel`, in JSON.
KERNELBOT_EXPORT const char *kernelbot_signature()
{
    static const Text text = Function<Kernel>::type();
    return text.words();
}

// Returns whether the submission defines the function that task.h declares.
KERNELBOT_EXPORT int kernelbot_is_defined() { return &custom_kernel != nullptr; }

// Creates the parameters of one input; null when memory runs out.
KERNELBOT_EXPORT void *kernelbot_bind(const Value *input)
{
    try {
        return new Parameters(As<Parameters>::of(*input));
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

KERNELBOT_EXPORT void kernelbot_forget(void *parameters) { delete static_cast<Parameters *>(parameters); }

// Calls the kernel. Writes the text of an exception into `message`.
KERNELBOT_EXPORT int kernelbot_call(void *parameters, char *message, std::size_t size)
{
    try {
        std::apply(custom_kernel, *static_cast<Parameters *>(parameters));
    } catch (abi::__forced_unwind &) {
        throw; // A thread that ends itself by pthread_exit must unwind.
    } catch (const std::bad_alloc &error) {
        std::snprintf(message, size, "out of memory: %s", error.what());
        return OUT_OF_MEMORY;
    } catch (const std::exception &error) {
        std::snprintf(message, size, "%s: %s", Demangled(typeid(error)).name, error.what());
        return CRASHED;
    } catch (...) {
        const std::type_info *type = abi::__cxa_current_exception_type();
        std::snprintf(message, size, "custom_kernel threw %s", type ? Demangled(*type).name : "something");
        return CRASHED;
    }
#if defined(KERNELBOT_CUDA)
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        std::snprintf(message, size, "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
        return error == cudaErrorMemoryAllocation ? OUT_OF_MEMORY : CRASHED;
    }
#endif
    return FINE;
}
