/** Trace of a profile as PyTorch writes it: ten calls, each with two kernels and a copy on a device. */
import { gzipSync } from "node:zlib";

const CALLS = 10;
const CALL_US = 180;

/** Returns the bytes of a file `profile.N.trace.json.gz`. */
export function profileTrace(): Buffer {
  const traceEvents = Array.from({ length: CALLS }, (_, call) => callEvents(call * CALL_US)).flat();
  const names = [{ ph: "M", name: "process_name", pid: 0, args: { name: "python3" } }];
  return gzipSync(JSON.stringify({ schemaVersion: 1, traceEvents: [...names, ...traceEvents] }));
}

function callEvents(ts: number): object[] {
  const onCpu = { ph: "X", pid: 4242, tid: 4242 };
  const onDevice = { ph: "X", pid: 0, tid: 7 };
  return [
    { ...onCpu, cat: "user_annotation", name: "custom_kernel", ts, dur: 42.5 },
    { ...onCpu, cat: "cpu_op", name: "aten::copy_", ts: ts + 2, dur: 12 },
    { ...onCpu, cat: "cuda_runtime", name: "cudaMemcpyAsync", ts: ts + 4, dur: 8 },
    { ...onCpu, cat: "cuda_runtime", name: "cudaLaunchKernel", ts: ts + 18, dur: 9 },
    { ...onCpu, cat: "cuda_runtime", name: "cudaLaunchKernel", ts: ts + 30, dur: 7 },
    { ...onDevice, cat: "gpu_memcpy", name: "Memcpy DtoD (Device -> Device)", ts: ts + 14, dur: 6.4 },
    {
      ...onDevice,
      cat: "kernel",
      name: "void grayscale_tiled<float, 128, 4>(float const*, float*, long)",
      ts: ts + 30,
      dur: 88.2,
    },
    {
      ...onDevice,
      cat: "kernel",
      name: "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>, at::detail::Array<char*, 1>)",
      ts: ts + 120,
      dur: 9.1,
    },
    { ...onDevice, cat: "gpu_user_annotation", name: "custom_kernel", ts: ts + 14, dur: 115.1 },
  ];
}
