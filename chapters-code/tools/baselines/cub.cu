// CUB, NVIDIA's library of parallel primitives, behind the interface of baselines.h. How to build it is
// in README.md.
#include "baselines.h"

#include <cstdint>
#include <cstring>
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>
#include <string>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#ifdef _WIN32
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

EXPORT int baseline_interface() { return BASELINE_INTERFACE; }

EXPORT const char* baseline_name() { return "CUB"; }

EXPORT const char* baseline_version() {
    // CUB's macros are expressions, not numbers: they can be evaluated but not pasted.
    static const std::string version = std::to_string(CUB_MAJOR_VERSION) + "." +
                                       std::to_string(CUB_MINOR_VERSION) + "." +
                                       std::to_string(CUB_SUBMINOR_VERSION);
    return version.c_str();
}

namespace {

// Bytes of scratch that a call which only measured asks for, or SIZE_MAX where it failed. A null scratch
// means "only measure" to CUB, so there is always at least a byte to pass.
size_t measured(cudaError_t status, size_t bytes) {
    return status != cudaSuccess ? SIZE_MAX : bytes > 0 ? bytes : 1;
}

// A call's `of`, for one of the types that all calls below take.
template <typename Operation> cudaError_t of_type(int dtype, const Operation& call) {
    switch (dtype) {
    case BASELINE_I32: return call.template of<int>();
    case BASELINE_U32: return call.template of<unsigned>();
    case BASELINE_I64: return call.template of<long long>();
    case BASELINE_F32: return call.template of<float>();
    case BASELINE_F64: return call.template of<double>();
    default: return cudaErrorInvalidValue;
    }
}

// The same, and for bytes.
template <typename Operation> cudaError_t of_type_or_byte(int dtype, const Operation& call) {
    return dtype == BASELINE_U8 ? call.template of<unsigned char>() : of_type(dtype, call);
}

// One call of DeviceReduce: with `scratch` null it only sets `bytes`.
struct Call {
    int op;
    void* scratch;
    size_t& bytes;
    const void* in;
    void* out;
    cudaStream_t stream;

    // Types whose accumulator is the type itself.
    template <typename T, typename N> cudaError_t same(N n) const {
        auto* from = static_cast<const T*>(in);
        auto* to = static_cast<T*>(out);
        switch (op) {
        case BASELINE_SUM: return cub::DeviceReduce::Sum(scratch, bytes, from, to, n, stream);
        case BASELINE_MAX: return cub::DeviceReduce::Max(scratch, bytes, from, to, n, stream);
        case BASELINE_MIN: return cub::DeviceReduce::Min(scratch, bytes, from, to, n, stream);
        default: return cudaErrorInvalidValue;
        }
    }

    // 16-bit floats: an operator on float makes CUB's accumulator a float.
    template <typename T, typename N> cudaError_t widened(N n) const {
        constexpr float infinity = std::numeric_limits<float>::infinity();
        switch (op) {
        case BASELINE_SUM: return reduce<T>(n, cuda::std::plus<float>{}, 0.0f);
        case BASELINE_MAX: return reduce<T>(n, cuda::maximum<float>{}, -infinity);
        case BASELINE_MIN: return reduce<T>(n, cuda::minimum<float>{}, infinity);
        default: return cudaErrorInvalidValue;
        }
    }

    template <typename T, typename N, typename Op>
    cudaError_t reduce(N n, Op combine, float identity) const {
        auto* from = static_cast<const T*>(in);
        auto* to = static_cast<float*>(out);
        return cub::DeviceReduce::Reduce(scratch, bytes, from, to, n, combine, identity, stream);
    }

    template <typename N> cudaError_t of_dtype(int dtype, N n) const {
        switch (dtype) {
        case BASELINE_I32: return same<int>(n);
        case BASELINE_U32: return same<unsigned>(n);
        case BASELINE_I64: return same<long long>(n);
        case BASELINE_F32: return same<float>(n);
        case BASELINE_F64: return same<double>(n);
        case BASELINE_F16: return widened<__half>(n);
        case BASELINE_BF16: return widened<__nv_bfloat16>(n);
        default: return cudaErrorInvalidValue;
        }
    }

    // CUB is compiled for 32-bit and for 64-bit counts; it gets the faster one where that will do.
    cudaError_t run(int dtype, size_t n) const {
        return n <= UINT32_MAX ? of_dtype(dtype, uint32_t(n)) : of_dtype(dtype, uint64_t(n));
    }
};

} // namespace

EXPORT size_t baseline_reduce_scratch(int op, int dtype, const void* in, void* out, size_t n) {
    size_t bytes = 0;
    cudaError_t status = Call{op, nullptr, bytes, in, out, nullptr}.run(dtype, n);
    return measured(status, bytes);
}

EXPORT int baseline_reduce(int op, int dtype, void* scratch, size_t scratch_bytes, const void* in,
                       void* out, size_t n, void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    return Call{op, scratch, scratch_bytes, in, out, static_cast<cudaStream_t>(stream)}.run(dtype, n);
}

// ---- Histogram -------------------------------------------------------------------------------

namespace {

// One call of DeviceHistogram: with `scratch` null it only sets `bytes`.
struct Histogram {
    void* scratch;
    size_t& bytes;
    const void* in;
    unsigned* out;
    int bins;
    float low, high;
    cudaStream_t stream;

    // Integers are their own bins, so theirs are those of [0, bins).
    template <typename T, typename Level, typename N>
    cudaError_t even(Level from, Level to, N n) const {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, static_cast<const T*>(in), out,
                                                   bins + 1, from, to, n, stream);
    }

    template <typename N> cudaError_t of_dtype(int dtype, N n) const {
        switch (dtype) {
        case BASELINE_U8: return even<unsigned char>(0, bins, n);
        case BASELINE_U16: return even<unsigned short>(0, bins, n);
        case BASELINE_U32: return even<unsigned>(0, bins, n);
        case BASELINE_F32: return even<float>(low, high, n);
        default: return cudaErrorInvalidValue;
        }
    }

    // CUB is compiled for 32-bit and for 64-bit counts; it gets the faster one where that will do.
    cudaError_t run(int dtype, size_t n) const {
        return n <= INT32_MAX ? of_dtype(dtype, int32_t(n)) : of_dtype(dtype, int64_t(n));
    }
};

} // namespace

EXPORT size_t baseline_histogram_scratch(int dtype, const void* in, unsigned* out, unsigned bins,
                                     float low, float high, size_t n) {
    size_t bytes = 0;
    cudaError_t status =
        Histogram{nullptr, bytes, in, out, int(bins), low, high, nullptr}.run(dtype, n);
    return measured(status, bytes);
}

EXPORT int baseline_histogram(int dtype, void* scratch, size_t scratch_bytes, const void* in,
                          unsigned* out, unsigned bins, float low, float high, size_t n,
                          void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return Histogram{scratch, scratch_bytes, in, out, int(bins), low, high, on}.run(dtype, n);
}

// ---- Scan ------------------------------------------------------------------------------------

namespace {

// One call of DeviceScan: with `scratch` null it only sets `bytes`.
struct Scan {
    bool exclusive;
    int op;
    void* scratch;
    size_t& bytes;
    const void* in;
    void* out;
    size_t n;
    cudaStream_t stream;

    template <typename T, typename N> cudaError_t with(N n) const {
        auto* from = static_cast<const T*>(in);
        auto* to = static_cast<T*>(out);
        constexpr bool has_infinity = std::numeric_limits<T>::has_infinity;
        constexpr T lowest = has_infinity ? -std::numeric_limits<T>::infinity()
                                          : std::numeric_limits<T>::lowest();
        switch (op) {
        case BASELINE_SUM:
            return exclusive
                       ? cub::DeviceScan::ExclusiveSum(scratch, bytes, from, to, n, stream)
                       : cub::DeviceScan::InclusiveSum(scratch, bytes, from, to, n, stream);
        case BASELINE_MAX:
            return exclusive
                       ? cub::DeviceScan::ExclusiveScan(scratch, bytes, from, to,
                                                        cuda::maximum<T>{}, lowest, n, stream)
                       : cub::DeviceScan::InclusiveScan(scratch, bytes, from, to,
                                                        cuda::maximum<T>{}, n, stream);
        default: return cudaErrorInvalidValue;
        }
    }

    // CUB is compiled for 32-bit and for 64-bit counts; it gets the faster one where that will do.
    template <typename T> cudaError_t of() const {
        return n <= UINT32_MAX ? with<T>(uint32_t(n)) : with<T>(uint64_t(n));
    }

    cudaError_t run(int dtype) const {
        return of_type_or_byte(dtype, *this);
    }
};

} // namespace

EXPORT size_t baseline_scan_scratch(int exclusive, int op, int dtype, const void* in, void* out,
                                size_t n) {
    size_t bytes = 0;
    cudaError_t status = Scan{exclusive != 0, op, nullptr, bytes, in, out, n, nullptr}.run(dtype);
    return measured(status, bytes);
}

EXPORT int baseline_scan(int exclusive, int op, int dtype, void* scratch, size_t scratch_bytes,
                     const void* in, void* out, size_t n, void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return Scan{exclusive != 0, op, scratch, scratch_bytes, in, out, n, on}.run(dtype);
}

// ---- Compact ---------------------------------------------------------------------------------

namespace {

template <typename T> struct AtLeast {
    T pivot;
    __host__ __device__ bool operator()(T x) const { return x >= pivot; }
};

enum class Wanted { Kept, Both };

// One call of DeviceSelect or DevicePartition: with `scratch` null it only sets `bytes`.
struct Select {
    Wanted wanted;
    void* scratch;
    size_t& bytes;
    const void* in;
    const unsigned char* mask;
    unsigned long long pivot;
    void* out;
    unsigned long long* kept;
    size_t n;
    cudaStream_t stream;

    template <typename T, typename N> cudaError_t with(N n) const {
        auto* from = static_cast<const T*>(in);
        auto* to = static_cast<T*>(out);
        if (wanted == Wanted::Both) {
            return cub::DevicePartition::Flagged(scratch, bytes, from, mask, to, kept, n, stream);
        }
        if (mask != nullptr) {
            return cub::DeviceSelect::Flagged(scratch, bytes, from, mask, to, kept, n, stream);
        }
        AtLeast<T> at_least;
        memcpy(&at_least.pivot, &pivot, sizeof at_least.pivot);
        return cub::DeviceSelect::If(scratch, bytes, from, to, kept, n, at_least, stream);
    }

    // CUB is compiled for 32-bit and for 64-bit counts; it gets the faster one where that will do.
    template <typename T> cudaError_t of() const {
        return n <= INT32_MAX ? with<T>(int32_t(n)) : with<T>(int64_t(n));
    }

    cudaError_t run(int dtype) const {
        return of_type_or_byte(dtype, *this);
    }

    size_t measure(int dtype) const {
        cudaError_t status = run(dtype);
        return measured(status, bytes);
    }
};

const unsigned char* bytes_of(const void* mask) { return static_cast<const unsigned char*>(mask); }

} // namespace

EXPORT size_t baseline_select_scratch(int dtype, const void* in, const void* mask,
                                  unsigned long long pivot, void* out, unsigned long long* kept,
                                  size_t n) {
    size_t bytes = 0;
    return Select{Wanted::Kept, nullptr, bytes, in, bytes_of(mask), pivot, out, kept, n, nullptr}
        .measure(dtype);
}

EXPORT int baseline_select(int dtype, void* scratch, size_t scratch_bytes, const void* in,
                       const void* mask, unsigned long long pivot, void* out,
                       unsigned long long* kept, size_t n, void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return Select{Wanted::Kept, scratch, scratch_bytes, in, bytes_of(mask), pivot, out, kept, n, on}
        .run(dtype);
}

EXPORT size_t baseline_partition_scratch(int dtype, const void* in, const void* mask, void* out,
                                     unsigned long long* kept, size_t n) {
    size_t bytes = 0;
    return Select{Wanted::Both, nullptr, bytes, in, bytes_of(mask), 0, out, kept, n, nullptr}
        .measure(dtype);
}

EXPORT int baseline_partition(int dtype, void* scratch, size_t scratch_bytes, const void* in,
                          const void* mask, void* out, unsigned long long* kept, size_t n,
                          void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return Select{Wanted::Both, scratch, scratch_bytes, in, bytes_of(mask), 0, out, kept, n, on}
        .run(dtype);
}

// ---- Segmented scan --------------------------------------------------------------------------

namespace {

// The lowest value of a type: the identity of its maximum.
template <typename T> constexpr T lowest() {
    constexpr bool has_infinity = std::numeric_limits<T>::has_infinity;
    return has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

template <typename T> struct FlaggedValue {
    T value;
    unsigned head;
};

// Element i with its head flag.
template <typename T> struct Flagged {
    const T* values;
    const unsigned* bits;

    __device__ FlaggedValue<T> operator()(unsigned i) const {
        return {values[i], bits[i / 32] >> (i % 32) & 1};
    }
};

template <typename T, typename Op> struct OnPairs {
    Op combine;

    __host__ __device__ FlaggedValue<T> operator()(const FlaggedValue<T>& a,
                                                   const FlaggedValue<T>& b) const {
        return {b.head ? b.value : combine(a.value, b.value), a.head | b.head};
    }
};

template <typename T> struct Value {
    __host__ __device__ T operator()(const FlaggedValue<T>& pair) const { return pair.value; }
};

// One call of DeviceScan over segments: with `scratch` null it only sets `bytes`.
struct SegmentedScan {
    int by;
    bool exclusive;
    int op;
    void* scratch;
    size_t& bytes;
    const void* in;
    const void* segments;
    void* out;
    size_t n;
    cudaStream_t stream;

    template <typename T, typename Op>
    cudaError_t by_keys(Op combine, T identity) const {
        auto* keys = static_cast<const unsigned char*>(segments);
        auto* from = static_cast<const T*>(in);
        auto* to = static_cast<T*>(out);
        auto same = cuda::std::equal_to<>{};
        auto count = uint32_t(n);
        return exclusive
                   ? cub::DeviceScan::ExclusiveScanByKey(scratch, bytes, keys, from, to, combine,
                                                         identity, count, same, stream)
                   : cub::DeviceScan::InclusiveScanByKey(scratch, bytes, keys, from, to, combine,
                                                         count, same, stream);
    }

    // Inclusive only: what comes out of an exclusive one does not know the flag of its own element.
    template <typename T, typename Op> cudaError_t of_pairs(Op combine) const {
        Flagged<T> flagged{static_cast<const T*>(in), static_cast<const unsigned*>(segments)};
        auto from = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), flagged);
        auto to = thrust::make_transform_output_iterator(static_cast<T*>(out), Value<T>{});
        return exclusive ? cudaErrorInvalidValue
                         : cub::DeviceScan::InclusiveScan(scratch, bytes, from, to,
                                                          OnPairs<T, Op>{combine}, uint32_t(n),
                                                          stream);
    }

    template <typename T, typename Op> cudaError_t with(Op combine, T identity) const {
        return by == BASELINE_KEYS ? by_keys<T>(combine, identity) : of_pairs<T>(combine);
    }

    template <typename T> cudaError_t of() const {
        switch (op) {
        case BASELINE_SUM: return with<T>(cuda::std::plus<T>{}, T(0));
        case BASELINE_MAX: return with<T>(cuda::maximum<T>{}, lowest<T>());
        default: return cudaErrorInvalidValue;
        }
    }

    cudaError_t run(int dtype) const {
        if (n > INT32_MAX || (by != BASELINE_KEYS && by != BASELINE_BITS)) {
            return cudaErrorInvalidValue;
        }
        return of_type(dtype, *this);
    }
};

// One call of DeviceSegmentedReduce: with `scratch` null it only sets `bytes`.
struct SegmentedReduce {
    int op;
    void* scratch;
    size_t& bytes;
    const void* in;
    const unsigned* offsets;
    void* out;
    size_t segments;
    cudaStream_t stream;

    template <typename T, typename Op> cudaError_t with(Op combine, T identity) const {
        return cub::DeviceSegmentedReduce::Reduce(scratch, bytes, static_cast<const T*>(in),
                                                  static_cast<T*>(out), int64_t(segments), offsets,
                                                  offsets + 1, combine, identity, stream);
    }

    template <typename T> cudaError_t of() const {
        switch (op) {
        case BASELINE_SUM: return with<T>(cuda::std::plus<T>{}, T(0));
        case BASELINE_MAX: return with<T>(cuda::maximum<T>{}, lowest<T>());
        default: return cudaErrorInvalidValue;
        }
    }

    cudaError_t run(int dtype) const {
        return of_type(dtype, *this);
    }
};

} // namespace

EXPORT size_t baseline_segmented_scan_scratch(int by, int exclusive, int op, int dtype, const void* in,
                                          const void* segments, void* out, size_t n) {
    size_t bytes = 0;
    SegmentedScan call{by, exclusive != 0, op, nullptr, bytes, in, segments, out, n, nullptr};
    cudaError_t status = call.run(dtype);
    return measured(status, bytes);
}

EXPORT int baseline_segmented_scan(int by, int exclusive, int op, int dtype, void* scratch,
                               size_t scratch_bytes, const void* in, const void* segments,
                               void* out, size_t n, void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return SegmentedScan{by, exclusive != 0, op, scratch, scratch_bytes, in, segments, out, n, on}
        .run(dtype);
}

EXPORT size_t baseline_segmented_reduce_scratch(int op, int dtype, const void* in,
                                            const unsigned* offsets, void* out, size_t segments) {
    size_t bytes = 0;
    SegmentedReduce call{op, nullptr, bytes, in, offsets, out, segments, nullptr};
    cudaError_t status = call.run(dtype);
    return measured(status, bytes);
}

EXPORT int baseline_segmented_reduce(int op, int dtype, void* scratch, size_t scratch_bytes,
                                 const void* in, const unsigned* offsets, void* out,
                                 size_t segments, void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return SegmentedReduce{op, scratch, scratch_bytes, in, offsets, out, segments, on}.run(dtype);
}
