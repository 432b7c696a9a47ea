// cuSPARSE, NVIDIA's library of sparse linear algebra, behind the interface of baselines.h: its product of a
// sparse matrix and a vector, by the generic interface and with its two algorithms for rows one after
// another. How to build it is in README.md.
//
// As in cublas.cpp, the library is opened when it is first asked for, and its types and codes are written
// out here.
#include "library.hpp"

#include <climits>
#include <cstring>
#include <cstdint>
#include <iterator>

namespace {

constexpr int AS_IT_IS = 0;                // CUSPARSE_OPERATION_NON_TRANSPOSE
constexpr int INDEX_32 = 2;                // CUSPARSE_INDEX_32I
constexpr int FROM_ZERO = 0;               // CUSPARSE_INDEX_BASE_ZERO
constexpr int F32 = 0;                     // CUDA_R_32F
constexpr int ALGORITHMS[] = {2, 3};       // CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2
constexpr const char* NAMES[] = {"SpMV, CSR_ALG1", "SpMV, CSR_ALG2"};
constexpr int MAJOR = 0, MINOR = 1, PATCH = 2; // libraryPropertyType

using Create = int (*)(void** handle);
using SetStream = int (*)(void* handle, void* stream);
using CreateCsr = int (*)(void** matrix, int64_t rows, int64_t cols, int64_t entries, void* offsets,
                          void* columns, void* values, int offset_type, int column_type, int base,
                          int value_type);
using CreateVector = int (*)(void** vector, int64_t size, void* values, int value_type);
using Destroy = int (*)(const void* descriptor);
// cusparseSpMV and cusparseSpMV_preprocess; cusparseSpMV_bufferSize puts a size in place of the scratch.
template <typename Last>
using Spmv = int (*)(void* handle, int operation, const void* alpha, const void* matrix, const void* x,
                     const void* beta, void* y, int compute_type, int algorithm, Last last);

void* open_cusparse() {
#ifdef _WIN32
    return open_library({"cusparse64_12.dll", "cusparse64_11.dll"});
#else
    return open_library({"libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"});
#endif
}

// The library, with a handle in the context that was current when it was first used.
struct Cusparse {
    void* library = open_cusparse();
    SetStream set_stream = find<SetStream>(library, "cusparseSetStream");
    CreateCsr create_csr = find<CreateCsr>(library, "cusparseCreateCsr");
    CreateVector create_vector = find<CreateVector>(library, "cusparseCreateDnVec");
    Destroy destroy_matrix = find<Destroy>(library, "cusparseDestroySpMat");
    Destroy destroy_vector = find<Destroy>(library, "cusparseDestroyDnVec");
    Spmv<size_t*> buffer_size = find<Spmv<size_t*>>(library, "cusparseSpMV_bufferSize");
    Spmv<void*> preprocess = find<Spmv<void*>>(library, "cusparseSpMV_preprocess"); // from 12.4 on
    Spmv<void*> multiply = find<Spmv<void*>>(library, "cusparseSpMV");
    void* handle = nullptr;

    Cusparse() {
        auto create = find<Create>(library, "cusparseCreate");
        if (create && create(&handle) != SUCCESS) {
            handle = nullptr;
        }
    }

    bool is_usable() const {
        return handle && set_stream && create_csr && create_vector && destroy_matrix &&
               destroy_vector && buffer_size && multiply;
    }

    int property(int which) const {
        auto get = find<int (*)(int, int*)>(library, "cusparseGetProperty");
        int value = 0;
        return get && get(which, &value) == SUCCESS ? value : 0;
    }
};

Cusparse& cusparse() {
    static Cusparse cusparse;
    return cusparse;
}

// A product as cuSPARSE sees it: descriptors of host memory.
struct Product {
    void *matrix = nullptr, *x = nullptr, *y = nullptr;
    bool is_made = false;

    Product(const BaselineSparse& of, void* result) {
        auto bare = [](const void* address) { return const_cast<void*>(address); };
        const Cusparse& c = cusparse();
        is_made = c.create_csr(&matrix, of.rows, of.cols, of.entries, bare(of.offsets),
                               bare(of.columns), bare(of.values), INDEX_32, INDEX_32, FROM_ZERO,
                               F32) == SUCCESS &&
                  c.create_vector(&x, of.cols, bare(of.x), F32) == SUCCESS &&
                  c.create_vector(&y, of.rows, result, F32) == SUCCESS;
    }
    Product(const Product&) = delete;
    ~Product() {
        const Cusparse& c = cusparse();
        for (void* vector : {x, y}) {
            if (vector) {
                c.destroy_vector(vector);
            }
        }
        if (matrix) {
            c.destroy_matrix(matrix);
        }
    }

    template <typename Last> int call(Spmv<Last> function, int way, Last last) const {
        const float one = 1, zero = 0;
        int status = function(cusparse().handle, AS_IT_IS, &one, matrix, x, &zero, y, F32,
                              ALGORITHMS[way], last);
        return status == SUCCESS ? SUCCESS : UNKNOWN;
    }
};

// The product of the last call, with the scratch that it was prepared in. Asking for scratch forgets it: what
// comes then may be another matrix in the same places.
struct Prepared {
    Product* product = nullptr;
    BaselineSparse of = {};
    void *y = nullptr, *scratch = nullptr;
    int way = -1;

    bool is(int other_way, const BaselineSparse& other, void* other_y, void* other_scratch) const {
        return product && way == other_way && y == other_y && scratch == other_scratch &&
               of.values == other.values && of.columns == other.columns &&
               of.offsets == other.offsets && of.x == other.x && of.rows == other.rows &&
               of.cols == other.cols && of.entries == other.entries;
    }
};

Prepared prepared;

void forget() {
    delete prepared.product;
    prepared = {};
}

} // namespace

EXPORT int baseline_interface() { return BASELINE_INTERFACE; }

EXPORT const char* baseline_name() { return "cuSPARSE"; }

EXPORT const char* baseline_version() {
    static const std::string version = [] {
        const Cusparse& c = cusparse();
        if (!c.is_usable()) {
            return std::string("not found");
        }
        return version_text(c.property(MAJOR), c.property(MINOR), c.property(PATCH));
    }();
    return version.c_str();
}

EXPORT const char* baseline_way(const char* operation, int way) {
    bool has_way = strcmp(operation, "multiply") == 0 && way < int(std::size(ALGORITHMS));
    return has_way ? NAMES[way] : nullptr;
}

EXPORT size_t baseline_multiply_scratch(int way, int dtype, const BaselineSparse* matrix, void* y) {
    bool has_way = 0 <= way && way < int(std::size(ALGORITHMS)) && dtype == BASELINE_F32;
    bool fits = matrix->rows > 0 && matrix->rows < INT_MAX && matrix->entries < INT_MAX;
    if (!has_way || !fits || !cusparse().is_usable()) {
        return SIZE_MAX;
    }
    forget();
    Product product(*matrix, y);
    size_t bytes = 0;
    bool is_known =
        product.is_made && product.call(cusparse().buffer_size, way, &bytes) == SUCCESS;
    return is_known ? bytes : SIZE_MAX;
}

EXPORT int baseline_multiply(int way, int dtype, void* scratch, size_t, const BaselineSparse* matrix, void* y,
                         void* stream) {
    if (dtype != BASELINE_F32 || way < 0 || way >= int(std::size(ALGORITHMS))) {
        return INVALID_VALUE;
    }
    if (cusparse().set_stream(cusparse().handle, stream) != SUCCESS) {
        return UNKNOWN;
    }
    if (!prepared.is(way, *matrix, y, scratch)) {
        forget();
        prepared = {new Product(*matrix, y), *matrix, y, scratch, way};
        Spmv<void*> preprocess = cusparse().preprocess;
        if (!prepared.product->is_made ||
            (preprocess && prepared.product->call(preprocess, way, scratch) != SUCCESS)) {
            forget();
            return UNKNOWN;
        }
    }
    return prepared.product->call(cusparse().multiply, way, scratch);
}
