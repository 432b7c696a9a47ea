cargo build -p warpsim-driver -p warpsim-nccl
mkdir -p target/cuda && ln -sf ../debug/libsimt_driver.so target/cuda/libcuda.so
ln -sf ../debug/libsimt_nccl.so target/cuda/libnccl.so
export LD_LIBRARY_PATH=$PWD/target/cuda SIMT_DEVICES=4
