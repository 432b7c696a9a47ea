// cuBLAS, NVIDIA's library of linear algebra, behind the interface of baselines.h: its geam, which adds two
// matrices, each transposed or not, and so transposes one. How to build it is in README.md.
//
// cuBLAS is opened when it is first asked for; its types and codes are written out here, so that neither its
// headers nor its library need be there when this file is compiled.
#include "library.hpp"

#include <climits>
#include <cstring>
#include <cstdint>

namespace {

constexpr int AS_IT_IS = 0;      // CUBLAS_OP_N
constexpr int TRANSPOSED = 1;    // CUBLAS_OP_T

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

// To cuBLAS, whose matrices are stored by columns, a matrix of `cols` columns by rows is one of `cols` rows.
template <typename T>
int transpose(Geam<T> geam, const void* in, void* out, int rows, int cols, int ld_in, int ld_out) {
    const T one = 1, zero = 0;
    T* c = static_cast<T*>(out);
    int status = geam(cublas().handle, TRANSPOSED, AS_IT_IS, rows, cols, &one, static_cast<const T*>(in),
                      ld_in, &zero, c, ld_out, c, ld_out);
    return status == SUCCESS ? SUCCESS : UNKNOWN;
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

EXPORT const char* baseline_way(const char* operation, int way) {
    return way == 0 && strcmp(operation, "transpose") == 0 ? "geam" : nullptr;
}

EXPORT size_t baseline_transpose_scratch(int way, int dtype, size_t rows, size_t cols, size_t ld_in, size_t ld_out) {
    bool has_type = dtype == BASELINE_F32 || dtype == BASELINE_F64;
    bool fits = rows > 0 && cols > 0 && ld_in <= INT_MAX && ld_out <= INT_MAX && rows <= INT_MAX;
    return way == 0 && has_type && fits && cublas().is_usable() ? 0 : SIZE_MAX;
}

EXPORT int baseline_transpose(int, int dtype, void*, size_t, const void* in, void* out, size_t rows, size_t cols,
                          size_t ld_in, size_t ld_out, void* stream) {
    if (cublas().set_stream(cublas().handle, stream) != SUCCESS) {
        return UNKNOWN;
    }
    int sizes[] = {int(rows), int(cols), int(ld_in), int(ld_out)};
    switch (dtype) {
    case BASELINE_F32:
        return transpose(cublas().geam_f32, in, out, sizes[0], sizes[1], sizes[2], sizes[3]);
    case BASELINE_F64:
        return transpose(cublas().geam_f64, in, out, sizes[0], sizes[1], sizes[2], sizes[3]);
    default: return INVALID_VALUE;
    }
}
