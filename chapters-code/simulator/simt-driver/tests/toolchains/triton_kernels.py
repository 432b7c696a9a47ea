"""Writes the PTX of this folder that Triton 3.9 makes; no GPU is needed.

    pip install triton==3.9.0
    python triton_kernels.py

`.file` holds the folder that it ran in.
"""
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def scan(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), axis=0))


@triton.jit
def matmul(a, b, out, n, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for first in range(0, n, BLOCK):
        x = tl.load(a + r[:, None] * n + (first + k)[None, :])
        y = tl.load(b + (first + k)[:, None] * n + s[None, :])
        total += tl.dot(x, y, input_precision="tf32")
    tl.store(out + r[:, None] * n + s[None, :], total)


MODULES = [
    (softmax, 75, {"x": "*fp32", "out": "*fp32", "columns": "i32"}, 256),
    (scan, 90, {"x": "*i32", "out": "*i32"}, 512),
    (matmul, 80, {"a": "*fp32", "b": "*fp32", "out": "*fp32", "n": "i32"}, 32),
]

for kernel, capability, signature, block in MODULES:
    source = ASTSource(kernel, signature | {"BLOCK": "constexpr"}, {"BLOCK": block})
    compiled = triton.compile(source, target=GPUTarget("cuda", capability, 32))
    with open(f"{kernel.__name__}.sm_{capability}.ptx", "w") as file:
        file.write(compiled.asm["ptx"])
    print(kernel.__name__, "shared memory:", compiled.metadata.shared)
