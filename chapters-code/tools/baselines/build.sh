#!/bin/sh
# Builds the libraries of this folder into the folder that is named, or into this one; or only the one that is named:
#   sh build.sh [FOLDER] [ARCHITECTURE] [cub_sum]
# CUB is the pinned 3.5.0, and its compiler that of CUDA 13.0, both from NVIDIA's wheels on PyPI (under NVIDIA's
# licence for the CUDA Toolkit, https://docs.nvidia.com/cuda/eula/; 200 MB). The architecture is that of the GPU, such
# as sm_90 (the default, for H100 and H200) or sm_86; the machine that builds needs no GPU.
set -eu
cd "$(dirname "$0")"
out=${1:-.} architecture=${2:-sm_90}
toolkit=$out/toolkit
wheels="nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88"
wheels="$wheels nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.3.5.0.6"
if [ ! -e "$toolkit" ]; then
    # shellcheck disable=SC2086 # the wheels are words
    python3 -m pip install --quiet --no-deps --target "$toolkit.part" $wheels
    mv "$toolkit.part" "$toolkit"
fi
cuda=$toolkit/nvidia/cu13
# nvcc_shared NAME SOURCE [OPTION…]
nvcc_shared() {
    name=$1 source=$2
    shift 2
    "$cuda/bin/nvcc" -O3 -std=c++17 -arch="$architecture" -shared -Xcompiler -fPIC "$@" \
        -I"$cuda/include/cccl" -I"$cuda/include" -L"$cuda/lib" -o "$out/lib$name.so" "$source"
}
nvcc_shared cub_sum cub_sum.cu
[ "${3:-}" = cub_sum ] && exit
nvcc_shared baselines cub.cu -DBASELINE_WHEELS="\"$wheels\""
c++ -O2 -std=c++17 -shared -fPIC -o "$out/libcublas_baselines.so" cublas.cpp -ldl
c++ -O2 -std=c++17 -shared -fPIC -o "$out/libcusparse_baselines.so" cusparse.cpp -ldl
ls -l "$out"/lib*baselines.so
