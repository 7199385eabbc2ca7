/**
 * Techniques and the patterns that recognise them in a source. Repeated spaces are collapsed before matching, so that
 * every pattern takes linear time.
 */

export interface Technique {
  name: string;
  /** Description for the documentation. */
  meaning: string;
  pattern: RegExp;
}

export const TECHNIQUES: readonly Technique[] = [
  { name: "triton", meaning: "a kernel in Triton", pattern: /@triton\.(?:jit|autotune|heuristics)\b/ },
  { name: "load_inline", meaning: "C++ or CUDA built from the Python file", pattern: /\bload_inline\b/ },
  { name: "torch.compile", meaning: "compiled by PyTorch", pattern: /\btorch\.compile\b/ },
  { name: "cutlass", meaning: "CUTLASS or CuTe", pattern: /\bcutlass\b|\bcute(?:::|\.)/ },
  {
    name: "library gemm",
    meaning: "a matrix product of a library: cuBLAS, hipBLASLt, torch._scaled_mm",
    pattern: /\bcublas|\bhipblas|\btorch\._scaled_mm\b/i,
  },
  { name: "triton dot", meaning: "tensor cores through tl.dot", pattern: /\btl\.dot(?:_scaled)?\b/ },
  {
    name: "mma",
    meaning: "tensor cores by warp: mma.sync, wmma, ldmatrix",
    pattern: /\bmma\.sync\b|\bwmma::|\bldmatrix\b|\bmma_sync\b/,
  },
  { name: "wgmma", meaning: "tensor cores of Hopper, by warp group", pattern: /\bwgmma\b/ },
  { name: "tcgen05", meaning: "tensor cores of Blackwell", pattern: /\btcgen05\b/ },
  { name: "mfma", meaning: "matrix cores of AMD", pattern: /\b__builtin_amdgcn_mfma|\bv_mfma_|\brocwmma\b/ },
  {
    name: "cp.async",
    meaning: "asynchronous copies into shared memory",
    pattern: /\bcp\.async\.(?!bulk)|\b__pipeline_memcpy_async\b|\bcuda::memcpy_async\b/,
  },
  {
    name: "tma",
    meaning: "the tensor memory accelerator of Hopper and later",
    pattern:
      /\bcp\.async\.bulk\b|\bCUtensorMap\b|\bcuTensorMapEncode|\bmake_tensor_descriptor\b|\bTensorDescriptor\b|\bSM\d+_TMA/,
  },
  { name: "mbarrier", meaning: "barriers in shared memory", pattern: /\bmbarrier\b|\bcuda::barrier\b/ },
  {
    name: "clusters",
    meaning: "clusters of thread blocks",
    pattern: /\b__cluster_dims__\b|\bbarrier\.cluster\b|\bcluster_group\b|\bmapa\b/,
  },
  {
    name: "warp specialisation",
    meaning: "separate warps for loading and for computing",
    pattern: /\bsetmaxnreg\b|\bwarp_speciali[sz]e/,
  },
  { name: "shared memory", meaning: "shared memory in C++ or PTX", pattern: /\b__shared__\b|\b(?:ld|st)\.shared\b/ },
  {
    name: "warp shuffles",
    meaning: "values exchanged within a warp",
    pattern:
      /\b__shfl_|\b__shfl\b|\bshfl\.sync\b|\b__reduce_\w{2,4}_sync\b|\b__builtin_amdgcn_(?:ds_bpermute|mov_dpp|update_dpp)/,
  },
  { name: "cooperative groups", meaning: "cooperative groups of CUDA", pattern: /\bcooperative_groups\b/ },
  {
    name: "vectorised loads",
    meaning: "several values per instruction: float4, half2, ld.global.v4",
    pattern:
      /\b(?:float[24]|uint[24]|double2|__half2|half2|__nv_bfloat162|bfloat162)\b|\bint4 ?[*>]|\b(?:ld|st)\.global(?:\.\w+){0,4}\.v[248]\b/,
  },
  { name: "read-only cache", meaning: "loads through the read-only cache", pattern: /\b__ldg\b|\bld\.global\.nc\b/ },
  {
    name: "cache hints",
    meaning: "prefetching and cache eviction hints",
    pattern: /\bcreatepolicy\b|\bevict_(?:first|last)\b|\bprefetch\.global\b|\b__ldcs\b|\b__stcs\b/,
  },
  { name: "atomics", meaning: "atomic operations", pattern: /\batomic(?:Add|Max|Min|CAS|Exch)\b|\btl\.atomic_/ },
  { name: "launch bounds", meaning: "limited registers for occupancy", pattern: /\b__launch_bounds__\b|\bmaxnreg\b/ },
  { name: "unrolling", meaning: "unrolled loops", pattern: /#pragma unroll\b|\btl\.static_range\b/ },
  {
    name: "fast math",
    meaning: "approximate functions",
    pattern: /\buse_fast_math\b|\b__(?:expf|logf|fdividef|sinf|cosf)\b|\b(?:ex2|rcp|rsqrt|tanh)\.approx\b/,
  },
  {
    name: "inline ptx",
    meaning: "inline assembly",
    pattern: /\basm(?: volatile)? ?\(|\b__asm__\b|\binline_asm_elementwise\b/,
  },
  { name: "autotuning", meaning: "parameters chosen by measurement", pattern: /\btriton\.autotune\b|\bautotune\b/ },
  {
    name: "cuda graphs",
    meaning: "recorded and replayed launches",
    pattern: /\btorch\.cuda\.(?:CUDAGraph|graph|make_graphed_callables)\b|\bcudaGraph[A-Z]|\bhipGraph[A-Z]/,
  },
  {
    name: "streams",
    meaning: "additional streams",
    pattern: /\btorch\.cuda\.(?:Stream|stream)\b|\b(?:cuda|hip)StreamCreate/,
  },
];
