// CUB, NVIDIA's library of parallel primitives, behind the interface of baselines.h. How to build it is
// in README.md.
#include "baselines.h"

#include <cstdint>
#include <cstring>
#include <cub/cub.cuh>
#include <cub/device/device_segmented_scan.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/functional>
#include <cuda/iterator>
#include <cuda/memory_resource>
#include <cuda/std/execution>
#include <cuda/stream_ref>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <limits>
#include <new>
#include <string>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
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

EXPORT const char* baseline_built_with() {
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
    return "nvcc " TEXT(__CUDACC_VER_MAJOR__) "." TEXT(__CUDACC_VER_MINOR__) "." TEXT(__CUDACC_VER_BUILD__)
#ifdef BASELINE_WHEELS // by build.sh
        "; " BASELINE_WHEELS
#endif
        ;
}

EXPORT const char* baseline_way(const char* operation, int way) {
    static constexpr struct { const char *operation, *name; } WAYS[] = {
        {"reduce", "DeviceReduce"},
        {"reduce", "DeviceReduce, not_guaranteed"},
        {"histogram", "DeviceHistogram::HistogramEven"},
        {"histogram", "DeviceHistogram::HistogramEven of the keys' low bytes"},
        {"scan", "DeviceScan"},
        {"scan", "DeviceScan, run_to_run"},
        {"select", "DeviceSelect"},
        {"partition", "DevicePartition::Flagged"},
        {"segmented_scan", "DeviceScan::InclusiveScanByKey"},
        {"segmented_scan", "DeviceScan of pairs"},
        {"segmented_scan", "DeviceSegmentedScan"},
        {"segmented_reduce", "DeviceSegmentedReduce by offsets"},
        {"segmented_reduce", "DeviceSegmentedReduce of a fixed size"},
        {"segmented_reduce", "DeviceReduce::ReduceByKey"},
        {"copy", "DeviceTransform"},
        {"copy", "cudaMemcpyAsync"},
    };
    for (const auto& known : WAYS) {
        if (strcmp(known.operation, operation) == 0 && way-- == 0) {
            return known.name;
        }
    }
    return nullptr;
}

namespace {

// Bytes of scratch that a call which only measured asks for, or SIZE_MAX where it failed. A null scratch
// means "only measure" to CUB, so there is always at least a byte to pass.
size_t measured(cudaError_t status, size_t bytes) {
    return status != cudaSuccess ? SIZE_MAX : bytes > 0 ? bytes : 1;
}

// The memory that a call with an environment gets: `scratch`, or none where that is null, so that the call only says
// how much it wants.
struct Memory {
    void* scratch;
    size_t* wanted;

    void* allocate(cuda::stream_ref, size_t bytes, size_t = 256) {
        *wanted = bytes;
        if (scratch == nullptr) {
            throw std::bad_alloc();
        }
        return scratch;
    }
    void deallocate(cuda::stream_ref, void*, size_t, size_t = 256) noexcept {}
    void* allocate_sync(size_t bytes, size_t = 256) { return allocate(cuda::stream_ref{cudaStream_t{}}, bytes); }
    void deallocate_sync(void*, size_t, size_t = 256) noexcept {}
    bool operator==(const Memory& other) const { return scratch == other.scratch; }
    bool operator!=(const Memory& other) const { return scratch != other.scratch; }
    [[maybe_unused]] friend void get_property(const Memory&, cuda::mr::device_accessible) noexcept {}
};

// Makes a call with an environment as those with scratch are made.
template <typename Requirement, typename Call>
cudaError_t with_scratch(void* scratch, size_t& bytes, cudaStream_t stream, Requirement requirement,
                         const Call& call) {
    namespace execution = cuda::std::execution;
    auto memory = execution::prop{cuda::mr::get_memory_resource, Memory{scratch, &bytes}};
    auto on = execution::prop{cuda::get_stream, cuda::stream_ref{stream}};
    try {
        return call(execution::env{on, memory, requirement});
    } catch (const std::bad_alloc&) {
        return scratch == nullptr ? cudaSuccess : cudaErrorMemoryAllocation;
    }
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
    int way;
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
        if (way == 1) {
            return op == BASELINE_SUM ? by_atomics(from, to, n, cuda::std::plus<>{}) : cudaErrorInvalidValue;
        }
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

    // In one launch: blocks add to the result by atomics, so that its last bits may differ from run to run.
    template <typename T, typename N, typename Op>
    cudaError_t by_atomics(const T* from, T* to, N n, Op combine) const {
        auto any_order = cuda::execution::require(cuda::execution::determinism::not_guaranteed);
        return with_scratch(scratch, bytes, stream, any_order, [&](auto environment) {
            return cub::DeviceReduce::Reduce(from, to, n, combine, T(0), environment);
        });
    }

    template <typename N> cudaError_t of_dtype(int dtype, N n) const {
        bool has_way = way == 0 || (way == 1 && dtype != BASELINE_F16 && dtype != BASELINE_BF16);
        if (!has_way) {
            return cudaErrorInvalidValue;
        }
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

EXPORT size_t baseline_reduce_scratch(int way, int op, int dtype, const void* in, void* out, size_t n) {
    size_t bytes = 0;
    cudaError_t status = Call{way, op, nullptr, bytes, in, out, nullptr}.run(dtype, n);
    return measured(status, bytes);
}

EXPORT int baseline_reduce(int way, int op, int dtype, void* scratch, size_t scratch_bytes, const void* in,
                       void* out, size_t n, void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    return Call{way, op, scratch, scratch_bytes, in, out, static_cast<cudaStream_t>(stream)}.run(dtype, n);
}

// ---- Histogram -------------------------------------------------------------------------------

namespace {

template <typename T> struct LowByte {
    __host__ __device__ unsigned char operator()(T key) const { return static_cast<unsigned char>(key); }
};

// One call of DeviceHistogram: with `scratch` null it only sets `bytes`.
struct Histogram {
    int way;
    void* scratch;
    size_t& bytes;
    const void* in;
    unsigned* out;
    int bins;
    double low, high;
    cudaStream_t stream;

    template <typename T, typename Level, typename N>
    cudaError_t even(Level from, Level to, N n) const {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, static_cast<const T*>(in), out,
                                                   bins + 1, from, to, n, stream);
    }

    // Keys that are bytes in wider words need no division, as bytes need none.
    template <typename T, typename N> cudaError_t of_low_bytes(N n) const {
        auto from = thrust::make_transform_iterator(static_cast<const T*>(in), LowByte<T>{});
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, from, out, bins + 1, 0, bins, n, stream);
    }

    template <typename N> cudaError_t of_dtype(int dtype, N n) const {
        if (way == 1) {
            bool are_own_bins = low == 0 && high == bins && bins <= 256;
            switch (are_own_bins ? dtype : -1) {
            case BASELINE_U16: return of_low_bytes<unsigned short>(n);
            case BASELINE_U32: return of_low_bytes<unsigned>(n);
            default: return cudaErrorInvalidValue;
            }
        }
        switch (dtype) {
        case BASELINE_U8: return even<unsigned char>(int(low), int(high), n);
        case BASELINE_U16: return even<unsigned short>(int(low), int(high), n);
        case BASELINE_U32: return even<unsigned>(unsigned(low), unsigned(high), n);
        case BASELINE_F32: return even<float>(float(low), float(high), n);
        default: return cudaErrorInvalidValue;
        }
    }

    // CUB is compiled for 32-bit and for 64-bit counts; it gets the faster one where that will do.
    cudaError_t run(int dtype, size_t n) const {
        return n <= INT32_MAX ? of_dtype(dtype, int32_t(n)) : of_dtype(dtype, int64_t(n));
    }
};

} // namespace

EXPORT size_t baseline_histogram_scratch(int way, int dtype, const void* in, unsigned* out, unsigned bins,
                                     double low, double high, size_t n) {
    size_t bytes = 0;
    cudaError_t status =
        Histogram{way, nullptr, bytes, in, out, int(bins), low, high, nullptr}.run(dtype, n);
    return measured(status, bytes);
}

EXPORT int baseline_histogram(int way, int dtype, void* scratch, size_t scratch_bytes, const void* in,
                          unsigned* out, unsigned bins, double low, double high, size_t n,
                          void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return Histogram{way, scratch, scratch_bytes, in, out, int(bins), low, high, on}.run(dtype, n);
}

// ---- Scan ------------------------------------------------------------------------------------

namespace {

// One call of DeviceScan: with `scratch` null it only sets `bytes`.
struct Scan {
    int way;
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
        if (way == 1) {
            bool has_way = std::is_floating_point_v<T> && op == BASELINE_SUM;
            return has_way ? the_same_each_time<T>(from, to, n) : cudaErrorInvalidValue;
        }
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

    // The same bits in every run, by the look-ahead kernel.
    template <typename T, typename N> cudaError_t the_same_each_time(const T* from, T* to, N n) const {
        auto same_bits = cuda::execution::require(cuda::execution::determinism::run_to_run);
        return with_scratch(scratch, bytes, stream, same_bits, [&](auto environment) {
            return exclusive ? cub::DeviceScan::ExclusiveSum(from, to, n, environment)
                             : cub::DeviceScan::InclusiveSum(from, to, n, environment);
        });
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

EXPORT size_t baseline_scan_scratch(int way, int exclusive, int op, int dtype, const void* in, void* out,
                                size_t n) {
    size_t bytes = 0;
    cudaError_t status = Scan{way, exclusive != 0, op, nullptr, bytes, in, out, n, nullptr}.run(dtype);
    return measured(status, bytes);
}

EXPORT int baseline_scan(int way, int exclusive, int op, int dtype, void* scratch, size_t scratch_bytes,
                     const void* in, void* out, size_t n, void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return Scan{way, exclusive != 0, op, scratch, scratch_bytes, in, out, n, on}.run(dtype);
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

EXPORT size_t baseline_select_scratch(int way, int dtype, const void* in, const void* mask,
                                  unsigned long long pivot, void* out, unsigned long long* kept,
                                  size_t n) {
    if (way != 0) {
        return SIZE_MAX;
    }
    size_t bytes = 0;
    return Select{Wanted::Kept, nullptr, bytes, in, bytes_of(mask), pivot, out, kept, n, nullptr}
        .measure(dtype);
}

EXPORT int baseline_select(int, int dtype, void* scratch, size_t scratch_bytes, const void* in,
                       const void* mask, unsigned long long pivot, void* out,
                       unsigned long long* kept, size_t n, void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return Select{Wanted::Kept, scratch, scratch_bytes, in, bytes_of(mask), pivot, out, kept, n, on}
        .run(dtype);
}

EXPORT size_t baseline_partition_scratch(int way, int dtype, const void* in, const void* mask, void* out,
                                     unsigned long long* kept, size_t n) {
    if (way != 0) {
        return SIZE_MAX;
    }
    size_t bytes = 0;
    return Select{Wanted::Both, nullptr, bytes, in, bytes_of(mask), 0, out, kept, n, nullptr}
        .measure(dtype);
}

EXPORT int baseline_partition(int, int dtype, void* scratch, size_t scratch_bytes, const void* in,
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

// The call of an operator for a dtype: Call::with(combine, identity).
template <typename T, typename Call> cudaError_t of_op(int op, const Call& call) {
    switch (op) {
    case BASELINE_SUM: return call.template with<T>(cuda::std::plus<T>{}, T(0));
    case BASELINE_MAX: return call.template with<T>(cuda::maximum<T>{}, lowest<T>());
    default: return cudaErrorInvalidValue;
    }
}

// One call of a scan of segments: with `scratch` null it only sets `bytes`.
struct SegmentedScan {
    int way;
    bool exclusive;
    int op;
    void* scratch;
    size_t& bytes;
    const void* in;
    const BaselineSegments& segments;
    void* out;
    size_t n;
    cudaStream_t stream;

    template <typename T, typename Op> cudaError_t by_keys(Op combine, T identity) const {
        auto* from = static_cast<const T*>(in);
        auto* to = static_cast<T*>(out);
        auto same = cuda::std::equal_to<>{};
        auto count = uint32_t(n);
        return exclusive
                   ? cub::DeviceScan::ExclusiveScanByKey(scratch, bytes, segments.keys, from, to, combine,
                                                         identity, count, same, stream)
                   : cub::DeviceScan::InclusiveScanByKey(scratch, bytes, segments.keys, from, to, combine,
                                                         count, same, stream);
    }

    // Inclusive only: what comes out of an exclusive one does not know the flag of its own element.
    template <typename T, typename Op> cudaError_t of_pairs(Op combine) const {
        Flagged<T> flagged{static_cast<const T*>(in), segments.bits};
        auto from = thrust::make_transform_iterator(thrust::make_counting_iterator(0u), flagged);
        auto to = thrust::make_transform_output_iterator(static_cast<T*>(out), Value<T>{});
        return exclusive ? cudaErrorInvalidValue
                         : cub::DeviceScan::InclusiveScan(scratch, bytes, from, to,
                                                          OnPairs<T, Op>{combine}, uint32_t(n),
                                                          stream);
    }

    template <typename T, typename Op> cudaError_t by_offsets(Op combine, T identity) const {
        auto* from = static_cast<const T*>(in);
        auto* to = static_cast<T*>(out);
        auto* begins = segments.offsets;
        auto count = int64_t(segments.segments);
        return exclusive
                   ? cub::DeviceSegmentedScan::ExclusiveSegmentedScan(scratch, bytes, from, to, begins, begins + 1,
                                                                      count, combine, identity, stream)
                   : cub::DeviceSegmentedScan::InclusiveSegmentedScan(scratch, bytes, from, to, begins, begins + 1,
                                                                      count, combine, stream);
    }

    template <typename T, typename Op> cudaError_t with(Op combine, T identity) const {
        switch (n <= INT32_MAX ? way : -1) {
        case 0: return by_keys<T>(combine, identity);
        case 1: return of_pairs<T>(combine);
        case 2: return by_offsets<T>(combine, identity);
        default: return cudaErrorInvalidValue;
        }
    }

    template <typename T> cudaError_t of() const { return of_op<T>(op, *this); }

    cudaError_t run(int dtype) const { return of_type(dtype, *this); }
};

// One call of a reduction of segments: with `scratch` null it only sets `bytes`.
struct SegmentedReduce {
    int way;
    int op;
    void* scratch;
    size_t& bytes;
    const void* in;
    const BaselineSegments& segments;
    void* out;
    size_t n;
    cudaStream_t stream;

    template <typename T, typename Op> cudaError_t by_offsets(Op combine, T identity) const {
        auto* begins = segments.offsets;
        return begins == nullptr ? cudaErrorInvalidValue
                                 : cub::DeviceSegmentedReduce::Reduce(
                                       scratch, bytes, static_cast<const T*>(in), static_cast<T*>(out),
                                       int64_t(segments.segments), begins, begins + 1, combine, identity, stream);
    }

    template <typename T, typename Op> cudaError_t of_fixed_size(Op combine, T identity) const {
        bool fits = segments.length > 0 && segments.length <= INT32_MAX;
        return !fits ? cudaErrorInvalidValue
                     : cub::DeviceSegmentedReduce::Reduce(
                           scratch, bytes, static_cast<const T*>(in), static_cast<T*>(out),
                           int64_t(segments.segments), int(segments.length), combine, identity, stream);
    }

    // The number of segments that it found goes to the first bytes of the scratch.
    template <typename T, typename Op> cudaError_t by_key(Op combine) const {
        constexpr size_t COUNT = 256;
        if (segments.keys == nullptr || segments.has_empty || n > INT32_MAX) {
            return cudaErrorInvalidValue;
        }
        auto* count = static_cast<int*>(scratch);
        void* rest = scratch == nullptr ? nullptr : static_cast<char*>(scratch) + COUNT;
        size_t rest_bytes = scratch == nullptr ? 0 : bytes - COUNT;
        cudaError_t status = cub::DeviceReduce::ReduceByKey(
            rest, rest_bytes, segments.keys, thrust::make_discard_iterator(), static_cast<const T*>(in),
            static_cast<T*>(out), count, combine, int(n), stream);
        bytes = scratch == nullptr ? rest_bytes + COUNT : bytes;
        return status;
    }

    template <typename T, typename Op> cudaError_t with(Op combine, T identity) const {
        switch (way) {
        case 0: return by_offsets<T>(combine, identity);
        case 1: return of_fixed_size<T>(combine, identity);
        case 2: return by_key<T>(combine);
        default: return cudaErrorInvalidValue;
        }
    }

    template <typename T> cudaError_t of() const { return of_op<T>(op, *this); }

    cudaError_t run(int dtype) const { return of_type(dtype, *this); }
};

} // namespace

EXPORT size_t baseline_segmented_scan_scratch(int way, int exclusive, int op, int dtype, const void* in,
                                              const BaselineSegments* segments, void* out, size_t n) {
    size_t bytes = 0;
    SegmentedScan call{way, exclusive != 0, op, nullptr, bytes, in, *segments, out, n, nullptr};
    cudaError_t status = call.run(dtype);
    return measured(status, bytes);
}

EXPORT int baseline_segmented_scan(int way, int exclusive, int op, int dtype, void* scratch,
                                   size_t scratch_bytes, const void* in, const BaselineSegments* segments,
                                   void* out, size_t n, void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return SegmentedScan{way, exclusive != 0, op, scratch, scratch_bytes, in, *segments, out, n, on}
        .run(dtype);
}

EXPORT size_t baseline_segmented_reduce_scratch(int way, int op, int dtype, const void* in,
                                                const BaselineSegments* segments, void* out, size_t n) {
    size_t bytes = 0;
    SegmentedReduce call{way, op, nullptr, bytes, in, *segments, out, n, nullptr};
    cudaError_t status = call.run(dtype);
    return measured(status, bytes);
}

EXPORT int baseline_segmented_reduce(int way, int op, int dtype, void* scratch, size_t scratch_bytes,
                                     const void* in, const BaselineSegments* segments, void* out, size_t n,
                                     void* stream) {
    if (scratch == nullptr) {
        return cudaErrorInvalidValue;
    }
    auto* on = static_cast<cudaStream_t>(stream);
    return SegmentedReduce{way, op, scratch, scratch_bytes, in, *segments, out, n, on}.run(dtype);
}

// ---- Chapter 7 -----------------------------------------------------------------------------------

namespace {

struct Same {
    __host__ __device__ float operator()(float x) const { return x; }
};

struct SumOfPair {
    __host__ __device__ float operator()(float2 pair) const { return pair.x + pair.y; }
};

bool is_contiguous(const BaselineCopy& copy) {
    return !copy.adds_pairs && copy.stride_in == 1 && copy.stride_out == 1;
}

}  // namespace

EXPORT size_t baseline_copy_scratch(int way, const BaselineCopy* copy, size_t) {
    return way == 0 || (way == 1 && is_contiguous(*copy)) ? 1 : SIZE_MAX;
}

EXPORT int baseline_copy(int way, void*, size_t, const BaselineCopy* copy, const void* in, void* out, size_t n,
                         void* stream) {
    auto* on = static_cast<cudaStream_t>(stream);
    auto* from = static_cast<const float*>(in) + copy->first_in;
    auto* to = static_cast<float*>(out) + copy->first_out;
    if (way == 1) {
        return cudaMemcpyAsync(to, from, n * sizeof(float), cudaMemcpyDeviceToDevice, on);
    }
    if (copy->adds_pairs) {
        return cub::DeviceTransform::Transform(static_cast<const float2*>(in), to, n, SumOfPair{}, on);
    }
    if (is_contiguous(*copy)) {
        return cub::DeviceTransform::Transform(from, to, n, Same{}, on);
    }
    auto strided_from = cuda::make_strided_iterator(from, ptrdiff_t(copy->stride_in));
    auto strided_to = cuda::make_strided_iterator(to, ptrdiff_t(copy->stride_out));
    return cub::DeviceTransform::Transform(strided_from, strided_to, n, Same{}, on);
}
