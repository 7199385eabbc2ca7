/** A realistic failure of each class. */
import type { FailureClass, Mismatch, Stage } from "@kernelbot/core";

interface Failure {
  /** Stage that fails, if the mode has it. */
  stage: Stage;
  message: string;
  detail?: string;
  /** Output of the kernel before the failure. */
  printed?: string;
  mismatch?: Mismatch;
}

export const FAILURES: Record<FailureClass, Failure> = {
  compile_error: {
    stage: "prepare",
    message: "submission.cpp, line 31: ‘tile_count’ was not declared in this scope; did you mean ‘tile_counts’?",
    detail: `submission.cpp: In function ‘void custom_kernel(Tensor<const float>, Tensor<float>)’:
submission.cpp:31:34: error: ‘tile_count’ was not declared in this scope; did you mean ‘tile_counts’?
   31 |     for (int tile = first; tile < tile_count; tile += threads)
      |                                   ^~~~~~~~~~
      |                                   tile_counts
submission.cpp:44:15: warning: unused variable ‘lane’ [-Wunused-variable]
   44 |     const int lane = index & 31;
      |               ^~~~
`,
  },
  crash: {
    stage: "test",
    message:
      "RuntimeError: The size of tensor a (4097) must match the size of tensor b (4096) at non-singleton dimension 0",
    detail: `Traceback (most recent call last):
  File "submission.py", line 31, in custom_kernel
    return blocked(*data)
           ^^^^^^^^^^^^^^
  File "submission.py", line 22, in blocked
    torch.add(a[start:stop], b[start:stop], out=c[start : start + BLOCK])
RuntimeError: The size of tensor a (4097) must match the size of tensor b (4096) at non-singleton dimension 0
`,
    printed: "block = 4096, 1 block(s) left over\nusing the fast path\n",
  },
  wrong_result: {
    stage: "test",
    message: "1 of 1000 elements differs; at [999]: got 0.0, expected -1.3837891 (largest absolute error 1.38379)",
    mismatch: {
      differing: 1,
      total: 1000,
      largestAbsolute: 1.3837891,
      largestRelative: 1,
      first: [{ index: [999], got: "0.0", expected: "-1.3837891" }],
    },
  },
  timeout: {
    stage: "ranked",
    message: "the time limit was reached during this case (limit of the stage ranked: 180 s)",
    printed: "autotuning 1 of 384\nautotuning 2 of 384\nautotuning 3 of 384\n",
  },
  out_of_memory: {
    stage: "ranked",
    message: "out of memory: CUDA out of memory. Tried to allocate 64.00 GiB",
    detail: `Traceback (most recent call last):
  File "submission.py", line 19, in custom_kernel
    table = torch.empty(n, n // 64, device=x.device)
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 GiB. GPU 0 has a total capacity of 79.11 GiB of which 41.62 GiB is free.
`,
  },
  rejected: {
    stage: "test",
    message: "the submission wrote its output after it had reported completion",
  },
};
