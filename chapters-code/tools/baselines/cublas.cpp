// cuBLAS, NVIDIA's library of linear algebra, behind the interface of baselines.h: its geam, which adds two
// matrices, each transposed or not, and so transposes one; and cublasLtMatrixTransform of the library cuBLASLt, which
// comes with it, and has more types and batches. How to build it is in README.md.
//
// The libraries are opened when they are first asked for; their types and codes are written out here, so that neither
// their headers nor they need be there when this file is compiled.
#include "library.hpp"

#include <climits>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

namespace {

constexpr int AS_IT_IS = 0;      // CUBLAS_OP_N
constexpr int TRANSPOSED = 1;    // CUBLAS_OP_T

// ---- geam

template <typename T>
using Geam = int (*)(void* handle, int op_a, int op_b, int m, int n, const T* alpha, const T* a, int lda,
                     const T* beta, const T* b, int ldb, T* c, int ldc);

void* open_cublas() {
#ifdef _WIN32
    return open_library({"cublas64_13.dll", "cublas64_12.dll", "cublas64_11.dll"});
#else
    return open_library({"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"});
#endif
}

// The library, with a handle in the context that was current when it was first used.
struct Cublas {
    void* library = open_cublas();
    int (*set_stream)(void*, void*) = find<int (*)(void*, void*)>(library, "cublasSetStream_v2");
    Geam<float> geam_f32 = find<Geam<float>>(library, "cublasSgeam");
    Geam<double> geam_f64 = find<Geam<double>>(library, "cublasDgeam");
    void* handle = nullptr;
    int version = 0;

    Cublas() {
        auto create = find<int (*)(void**)>(library, "cublasCreate_v2");
        auto get_version = find<int (*)(void*, int*)>(library, "cublasGetVersion_v2");
        if (create && create(&handle) != SUCCESS) {
            handle = nullptr;
        }
        if (handle && get_version) {
            get_version(handle, &version);
        }
    }

    bool is_usable() const { return handle && set_stream && geam_f32 && geam_f64; }
};

Cublas& cublas() {
    static Cublas cublas;
    return cublas;
}

bool fits_geam(int dtype, const BaselineMatrices& of) {
    bool has_type = dtype == BASELINE_F32 || dtype == BASELINE_F64;
    bool fits = of.ld_in <= INT_MAX && of.ld_out <= INT_MAX && of.rows <= INT_MAX && of.batch == 1;
    return has_type && fits && cublas().is_usable();
}

// To cuBLAS, whose matrices are stored by columns, a matrix of `cols` columns by rows is one of `cols` rows.
template <typename T>
int by_geam(Geam<T> geam, const void* in, void* out, const BaselineMatrices& of, void* stream) {
    if (cublas().set_stream(cublas().handle, stream) != SUCCESS) {
        return UNKNOWN;
    }
    const T one = 1, zero = 0;
    T* c = static_cast<T*>(out);
    int status = geam(cublas().handle, TRANSPOSED, AS_IT_IS, int(of.rows), int(of.cols), &one,
                      static_cast<const T*>(in), int(of.ld_in), &zero, c, int(of.ld_out), c, int(of.ld_out));
    return status == SUCCESS ? SUCCESS : UNKNOWN;
}

// ---- cublasLtMatrixTransform

// cudaDataType_t
constexpr int R_32F = 0, R_64F = 1, R_16F = 2, R_8I = 3, R_32I = 10, R_16BF = 14;
// cublasLtOrder_t
constexpr int32_t BY_COLUMNS = 0, BY_ROWS = 1;
// cublasLtMatrixLayoutAttribute_t and cublasLtMatrixTransformDescAttributes_t
constexpr int ORDER = 1, BATCH_COUNT = 5, BATCH_OFFSET = 6, TRANSFORM_OF_A = 2;
// cublasStatus_t
constexpr int LT_INVALID_VALUE = 7, LT_ARCH_MISMATCH = 8, LT_NOT_SUPPORTED = 15;

void* open_cublas_lt() {
#ifdef _WIN32
    return open_library({"cublasLt64_13.dll", "cublasLt64_12.dll", "cublasLt64_11.dll"});
#else
    return open_library({"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"});
#endif
}

using SetAttribute = int (*)(void* of, int attribute, const void* value, size_t bytes);
using Destroy = int (*)(void*);

struct CublasLt {
    void* library = open_cublas_lt();
    int (*create_layout)(void**, int type, uint64_t rows, uint64_t cols, int64_t ld) =
        find<int (*)(void**, int, uint64_t, uint64_t, int64_t)>(library, "cublasLtMatrixLayoutCreate");
    SetAttribute set_layout = find<SetAttribute>(library, "cublasLtMatrixLayoutSetAttribute");
    Destroy destroy_layout = find<Destroy>(library, "cublasLtMatrixLayoutDestroy");
    int (*create_transform)(void**, int scale_type) =
        find<int (*)(void**, int)>(library, "cublasLtMatrixTransformDescCreate");
    SetAttribute set_transform = find<SetAttribute>(library, "cublasLtMatrixTransformDescSetAttribute");
    Destroy destroy_transform = find<Destroy>(library, "cublasLtMatrixTransformDescDestroy");
    int (*transform)(void* handle, void* transform, const void* alpha, const void* a, void* of_a, const void* beta,
                     const void* b, void* of_b, void* c, void* of_c, void* stream) =
        find<decltype(transform)>(library, "cublasLtMatrixTransform");
    void* handle = nullptr;

    CublasLt() {
        auto create = find<int (*)(void**)>(library, "cublasLtCreate");
        if (create && create(&handle) != SUCCESS) {
            handle = nullptr;
        }
    }

    bool is_usable() const {
        return handle && create_layout && set_layout && destroy_layout && create_transform && set_transform &&
               destroy_transform && transform;
    }
};

CublasLt& cublas_lt() {
    static CublasLt lt;
    return lt;
}

// The type of the elements, or -1. Bytes are moved as i8, which f32 and i32 hold exactly.
int type_of(int dtype) {
    switch (dtype) {
    case BASELINE_F32: return R_32F;
    case BASELINE_F64: return R_64F;
    case BASELINE_F16: return R_16F;
    case BASELINE_BF16: return R_16BF;
    case BASELINE_U8: return R_8I;
    case BASELINE_I32: return R_32I;
    default: return -1;
    }
}

// The type in which elements are multiplied by 1: the usual one, or the integers that hold bytes, or -1.
int scale_type(int type, bool is_usual) {
    if (is_usual) {
        return type == R_64F ? R_64F : type == R_32I ? R_32I : R_32F;
    }
    return type == R_8I ? R_32I : -1;
}

// How a transpose is asked for.
struct Way {
    const char* name;
    bool is_usual; // the type of the factors
    bool by_order; // the same matrix in the other order of storage, in place of the transposed matrix
};
constexpr Way LT_WAYS[] = {
    {"cublasLtMatrixTransform", true, false},
    {"cublasLtMatrixTransform, other order", true, true},
    {"cublasLtMatrixTransform, integer factors", false, false},
};

bool fits_lt(const Way& way, int dtype, const BaselineMatrices& of) {
    int type = type_of(dtype);
    return type >= 0 && scale_type(type, way.is_usual) >= 0 && of.batch <= INT_MAX && cublas_lt().is_usable();
}

// What a call is made with: descriptors of host memory. Those of a way's last call are kept, as programs keep them.
struct Plan {
    void *transform = nullptr, *before = nullptr, *after = nullptr;
    BaselineMatrices of = {};
    int type = -1, scale = -1;
    bool is_made = false;

    void* layout(size_t rows, size_t cols, size_t ld, int32_t order, size_t matrix) {
        const CublasLt& lt = cublas_lt();
        void* made = nullptr;
        int32_t batch = int32_t(of.batch);
        int64_t offset = int64_t(matrix);
        is_made = is_made && lt.create_layout(&made, type, rows, cols, int64_t(ld)) == SUCCESS &&
                  lt.set_layout(made, ORDER, &order, sizeof order) == SUCCESS &&
                  lt.set_layout(made, BATCH_COUNT, &batch, sizeof batch) == SUCCESS &&
                  lt.set_layout(made, BATCH_OFFSET, &offset, sizeof offset) == SUCCESS;
        return made;
    }

    Plan() = default;
    Plan(const Way& way, int of_type, const BaselineMatrices& matrices)
        : of(matrices), type(of_type), scale(scale_type(of_type, way.is_usual)) {
        const CublasLt& lt = cublas_lt();
        int32_t op = way.by_order ? AS_IT_IS : TRANSPOSED;
        is_made = lt.create_transform(&transform, scale) == SUCCESS &&
                  lt.set_transform(transform, TRANSFORM_OF_A, &op, sizeof op) == SUCCESS;
        size_t in = of.rows * of.ld_in, out = of.cols * of.ld_out;
        if (way.by_order) {
            before = layout(of.rows, of.cols, of.ld_in, BY_ROWS, in);
            after = layout(of.rows, of.cols, of.ld_out, BY_COLUMNS, out);
        } else {
            before = layout(of.cols, of.rows, of.ld_in, BY_COLUMNS, in);
            after = layout(of.rows, of.cols, of.ld_out, BY_COLUMNS, out);
        }
    }
    Plan(const Plan&) = delete;
    Plan& operator=(Plan&& other) {
        std::swap(transform, other.transform);
        std::swap(before, other.before);
        std::swap(after, other.after);
        of = other.of, type = other.type, scale = other.scale, is_made = other.is_made;
        return *this;
    }
    ~Plan() {
        const CublasLt& lt = cublas_lt();
        for (void* made : {before, after}) {
            if (made) {
                lt.destroy_layout(made);
            }
        }
        if (transform) {
            lt.destroy_transform(transform);
        }
    }

    bool is_of(int other_type, const BaselineMatrices& other) const {
        return is_made && type == other_type && memcmp(&of, &other, sizeof of) == 0;
    }
};

int by_lt(int way, int type, const void* in, void* out, const BaselineMatrices& of, void* stream) {
    static Plan plans[std::size(LT_WAYS)];
    Plan& plan = plans[way];
    if (!plan.is_of(type, of)) {
        plan = Plan(LT_WAYS[way], type, of);
    }
    if (!plan.is_made) {
        return NOT_SUPPORTED;
    }
    // 1 and 0 in each type of factors.
    static const double one_f64 = 1, zero_f64 = 0;
    static const float one_f32 = 1;
    static const int32_t one_i32 = 1;
    const void* one = plan.scale == R_64F   ? static_cast<const void*>(&one_f64)
                      : plan.scale == R_32I ? static_cast<const void*>(&one_i32)
                                            : static_cast<const void*>(&one_f32);
    const CublasLt& lt = cublas_lt();
    int status = lt.transform(lt.handle, plan.transform, one, in, plan.before, &zero_f64, nullptr, nullptr, out,
                              plan.after, stream);
    // An invalid value is also what it calls a combination of types that it lacks.
    bool lacks_it = status == LT_NOT_SUPPORTED || status == LT_ARCH_MISMATCH || status == LT_INVALID_VALUE;
    return status == SUCCESS ? SUCCESS : lacks_it ? NOT_SUPPORTED : UNKNOWN;
}

} // namespace

EXPORT int baseline_interface() { return BASELINE_INTERFACE; }

EXPORT const char* baseline_name() { return "cuBLAS"; }

EXPORT const char* baseline_version() {
    static const std::string version = [] {
        int v = cublas().version; // 130100 is 13.1.0, 120304 is 12.3.4
        if (!cublas().is_usable()) {
            return std::string("not found");
        }
        return version_text(v / 10000, v / 100 % 100, v % 100);
    }();
    return version.c_str();
}

// Way 0 is geam, those behind it are of cuBLASLt.
EXPORT const char* baseline_way(const char* operation, int way) {
    if (strcmp(operation, "transpose") != 0 || way < 0 || way > int(std::size(LT_WAYS))) {
        return nullptr;
    }
    return way == 0 ? "geam" : LT_WAYS[way - 1].name;
}

EXPORT size_t baseline_transpose_scratch(int way, int dtype, const void*, void*, const BaselineMatrices* of) {
    if (of->rows == 0 || of->cols == 0 || of->batch == 0) {
        return SIZE_MAX;
    }
    bool fits = way == 0 ? fits_geam(dtype, *of) : fits_lt(LT_WAYS[way - 1], dtype, *of);
    return fits ? 0 : SIZE_MAX;
}

EXPORT int baseline_transpose(int way, int dtype, void*, size_t, const void* in, void* out,
                              const BaselineMatrices* of, void* stream) {
    if (way > 0) {
        return by_lt(way - 1, type_of(dtype), in, out, *of, stream);
    }
    switch (dtype) {
    case BASELINE_F32: return by_geam(cublas().geam_f32, in, out, *of, stream);
    case BASELINE_F64: return by_geam(cublas().geam_f64, in, out, *of, stream);
    default: return INVALID_VALUE;
    }
}
