cargo build -p warpsim-driver
mkdir -p target/cuda && ln -sf ../debug/libsimt_driver.so target/cuda/libcuda.so
export LD_LIBRARY_PATH=$PWD/target/cuda
