// The interface of a baseline library: the work of a chapter, done by a library that others wrote, so that
// `--baseline PATH` can time it on the same buffers in the same run. Each chapter adds its functions.
//
// All pointers to data are device pointers, valid in the context that is current when the function
// is called. Nothing here allocates, synchronises or prints. Functions that return int return a
// cudaError_t, 0 for success; for an op or dtype that the baseline has not, cudaErrorInvalidValue. With
// cudaErrorNotSupported a library says that it lacks a way after all: the caller goes on without it.
//
// A library that lacks a function simply has no baseline for that chapter: callers look each one up by
// name, and `baseline_interface` first.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Raised when a function below changes its meaning; not when one is added.
#define BASELINE_INTERFACE 4

enum BaselineOp { BASELINE_SUM = 0, BASELINE_MAX = 1, BASELINE_MIN = 2 };

enum BaselineDtype {
    BASELINE_I32 = 0,
    BASELINE_U32 = 1,
    BASELINE_I64 = 2,
    BASELINE_F32 = 3,
    BASELINE_F64 = 4,
    BASELINE_F16 = 5,
    BASELINE_BF16 = 6,
    BASELINE_U8 = 7,
    BASELINE_U16 = 8,
    BASELINE_U128 = 9,
};

// BASELINE_INTERFACE as the library was built with it.
int baseline_interface(void);
// Who it is, such as "CUB". Static.
const char* baseline_name(void);
// Its version, such as "3.0.1". Static.
const char* baseline_version(void);
// What it was built with, such as "nvcc 13.0.88". Static. Libraries that are opened at run time have no such function.
const char* baseline_built_with(void);

// Libraries often do an operation in several ways. Each function below takes the number of a way, from 0 on. What
// is compared with a kernel is the fastest of those whose scratch function does not answer SIZE_MAX.

// The name of a way of an operation ("reduce", "histogram", "scan", "select", "partition", "segmented_scan",
// "segmented_reduce", "multiply", "transpose" or "copy"), such as "DeviceReduce::Sum"; null where it has no more ways. Static.
const char* baseline_way(const char* operation, int way);

// ---- Chapter 1: reduce -----------------------------------------------------------------------

// Bytes of scratch that baseline_reduce needs for these arguments (the buffers are not touched), or
// SIZE_MAX on an error.
size_t baseline_reduce_scratch(int way, int op, int dtype, const void* in, void* out, size_t n);

// Folds n elements of `in` and writes one value to `out`: of the dtype, but f32 for f16 and bf16,
// which are accumulated in f32. `scratch` is 256-byte aligned. Launches on `stream`, a CUstream.
int baseline_reduce(int way, int op, int dtype, void* scratch, size_t scratch_bytes, const void* in, void* out,
                size_t n, void* stream);

// ---- Chapter 2: histogram --------------------------------------------------------------------

// Bytes of scratch that baseline_histogram needs for these arguments (the buffers are not touched), or
// SIZE_MAX on an error.
size_t baseline_histogram_scratch(int way, int dtype, const void* in, unsigned* out, unsigned bins, double low,
                              double high, size_t n);

// Counts n keys (BASELINE_U8, BASELINE_U16, BASELINE_U32 or BASELINE_F32) into out[0 .. bins], whatever was there
// before. All have even bins of [low, high), whose ends are values of the dtype or, for integers, `bins`: integers in
// [0, bins) are their own bins. Keys without a bin are not counted. `scratch` is 256-byte aligned. Launches on
// `stream`, a CUstream.
int baseline_histogram(int way, int dtype, void* scratch, size_t scratch_bytes, const void* in, unsigned* out,
                   unsigned bins, double low, double high, size_t n, void* stream);

// ---- Chapter 3: scan -------------------------------------------------------------------------

// Bytes of scratch that baseline_scan needs for these arguments (the buffers are not touched), or SIZE_MAX
// on an error.
size_t baseline_scan_scratch(int way, int exclusive, int op, int dtype, const void* in, void* out, size_t n);

// Scans n elements of `in` into `out`, both of the dtype: BASELINE_SUM or BASELINE_MAX. An exclusive scan begins
// with the operator's identity. `scratch` is 256-byte aligned. Launches on `stream`, a CUstream.
int baseline_scan(int way, int exclusive, int op, int dtype, void* scratch, size_t scratch_bytes, const void* in,
              void* out, size_t n, void* stream);

// ---- Chapter 4: compact ----------------------------------------------------------------------

// Bytes of scratch that baseline_select needs for these arguments (the buffers are not touched), or SIZE_MAX
// on an error.
size_t baseline_select_scratch(int way, int dtype, const void* in, const void* mask, unsigned long long pivot,
                           void* out, unsigned long long* kept, size_t n);

// Writes to `out`, in order, those of n elements whose byte in `mask` is not 0, or, where `mask` is null,
// those that are at least the value in the low bits of `pivot`; how many, to *kept. `scratch` is 256-byte
// aligned. Launches on `stream`, a CUstream.
int baseline_select(int way, int dtype, void* scratch, size_t scratch_bytes, const void* in, const void* mask,
                unsigned long long pivot, void* out, unsigned long long* kept, size_t n, void* stream);

// The same, and the elements that are not kept to the end of `out`, last first; by a mask only.
size_t baseline_partition_scratch(int way, int dtype, const void* in, const void* mask, void* out,
                              unsigned long long* kept, size_t n);
int baseline_partition(int way, int dtype, void* scratch, size_t scratch_bytes, const void* in, const void* mask,
                   void* out, unsigned long long* kept, size_t n, void* stream);

// ---- Chapter 5: segmented scan ---------------------------------------------------------------

// Segments in each form in which a library may take them. Null stands for a form that is not there.
struct BaselineSegments {
    const unsigned char* keys; // a byte an element: neighbours in a segment have the same, at a border others
    const unsigned* bits;      // bit i mod 32 of word i / 32 is set where element i begins a segment
    const unsigned* offsets;   // where each segment begins, and the number of elements
    size_t segments;           // how many there are
    size_t length;             // of each, or 0 where they differ
    int has_empty;             // whether there are segments without elements, which keys and bits do not show
};

// Bytes of scratch that baseline_segmented_scan needs for these arguments (the buffers are not touched), or
// SIZE_MAX on an error.
size_t baseline_segmented_scan_scratch(int way, int exclusive, int op, int dtype, const void* in,
                                       const struct BaselineSegments* segments, void* out, size_t n);

// Scans n elements of `in` into `out`, both of the dtype, each segment by itself: BASELINE_SUM or BASELINE_MAX.
// An exclusive scan begins every segment with the operator's identity. `scratch` is 256-byte aligned.
// Launches on `stream`, a CUstream.
int baseline_segmented_scan(int way, int exclusive, int op, int dtype, void* scratch, size_t scratch_bytes,
                            const void* in, const struct BaselineSegments* segments, void* out, size_t n,
                            void* stream);

// Bytes of scratch that baseline_segmented_reduce needs for these arguments (the buffers are not touched),
// or SIZE_MAX on an error.
size_t baseline_segmented_reduce_scratch(int way, int op, int dtype, const void* in,
                                         const struct BaselineSegments* segments, void* out, size_t n);

// Folds each segment of the n elements of `in` into out[s], both of the dtype: BASELINE_SUM or BASELINE_MAX, the
// identity for an empty one. `scratch` is 256-byte aligned. Launches on `stream`, a CUstream.
int baseline_segmented_reduce(int way, int op, int dtype, void* scratch, size_t scratch_bytes, const void* in,
                              const struct BaselineSegments* segments, void* out, size_t n, void* stream);

// A sparse matrix by rows, and what it is multiplied by: row r has values[i] in columns[i] for
// offsets[r] <= i < offsets[r + 1]; x has an element a column.
struct BaselineSparse {
    const void* values;
    const unsigned* columns;
    const unsigned* offsets;
    const void* x;
    size_t rows, cols, entries;
};

// Bytes of scratch that baseline_multiply needs for these arguments (the buffers are not touched), or SIZE_MAX
// where the library has no such way; ways are numbered from 0.
size_t baseline_multiply_scratch(int way, int dtype, const struct BaselineSparse* matrix, void* y);

// Writes the matrix times x to y[0 .. rows], all of the dtype, in one of the library's ways. `scratch` is
// 256-byte aligned. The first call with a matrix, y and scratch may prepare what later ones use, and the
// scratch is left alone between them. Launches on `stream`, a CUstream.
int baseline_multiply(int way, int dtype, void* scratch, size_t scratch_bytes,
                  const struct BaselineSparse* matrix, void* y, void* stream);

// ---- Chapter 6: transpose --------------------------------------------------------------------

// Matrices by rows, one behind the other, and their leading dimensions before and after.
struct BaselineMatrices {
    size_t rows, cols, ld_in, ld_out, batch;
};

// Bytes of scratch that baseline_transpose needs for these arguments (the buffers are not touched), or SIZE_MAX where
// it cannot have them.
size_t baseline_transpose_scratch(int way, int dtype, const void* in, void* out, const struct BaselineMatrices* of);

// Writes element (r, c) of matrix b, in[(b * rows + r) * ld_in + c], to out[(b * cols + c) * ld_out + r], every bit as
// it is, but for NaN and -0. `scratch` is 256-byte aligned. Launches on `stream`, a CUstream.
int baseline_transpose(int way, int dtype, void* scratch, size_t scratch_bytes, const void* in, void* out,
                       const struct BaselineMatrices* of, void* stream);

// ---- Chapter 7: coalescing -------------------------------------------------------------------

// Which elements of f32 are copied where.
struct BaselineCopy {
    size_t first_in, stride_in;    // result i is made of in[first_in + i * stride_in]
    size_t first_out, stride_out;  // and written to out[first_out + i * stride_out]
    int adds_pairs;                // not 0: result i is in[2 * i] + in[2 * i + 1]; then the others are 0, 1, 0, 1
};

// Bytes of scratch that baseline_copy needs for these arguments, or SIZE_MAX where it cannot have them.
size_t baseline_copy_scratch(int way, const struct BaselineCopy* copy, size_t n);

// Writes n results. `scratch` is 256-byte aligned. Launches on `stream`, a CUstream.
int baseline_copy(int way, void* scratch, size_t scratch_bytes, const struct BaselineCopy* copy, const void* in,
                  void* out, size_t n, void* stream);

#ifdef __cplusplus
}
#endif
