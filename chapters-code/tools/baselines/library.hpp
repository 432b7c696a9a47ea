// A library of others, opened when it is first asked for, and functions found in it by name: so neither its
// headers nor the library itself need be there when a baseline is compiled.
#pragma once
#include "baselines.h"

#include <initializer_list>
#include <string>

#ifdef _WIN32
#include <windows.h>
#define EXPORT extern "C" __declspec(dllexport)
#else
#include <dlfcn.h>
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

constexpr int SUCCESS = 0;       // cudaSuccess, CUBLAS_STATUS_SUCCESS, CUSPARSE_STATUS_SUCCESS
constexpr int INVALID_VALUE = 1; // cudaErrorInvalidValue
constexpr int NOT_SUPPORTED = 801; // cudaErrorNotSupported
constexpr int UNKNOWN = 999;     // cudaErrorUnknown

// The first of these that there is, or null.
inline void* open_library(std::initializer_list<const char*> names) {
    for (const char* name : names) {
#ifdef _WIN32
        if (HMODULE library = LoadLibraryA(name)) {
            return reinterpret_cast<void*>(library);
        }
#else
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
#endif
    }
    return nullptr;
}

// A function of a library, or null.
template <typename F> F find(void* library, const char* name) {
    if (!library) {
        return nullptr;
    }
#ifdef _WIN32
    return reinterpret_cast<F>(GetProcAddress(reinterpret_cast<HMODULE>(library), name));
#else
    return reinterpret_cast<F>(dlsym(library, name));
#endif
}

// As people write a version.
inline std::string version_text(int major, int minor, int patch) {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}
