export function pinned(name: string): string;
export function torchArguments(platform: string, build: "CPU" | "CUDA" | "ROCM"): string[][];
