export type TorchBuild = "CPU" | "CUDA" | "ROCM";
export function pinned(name: string): string;
export function machineBuild(): TorchBuild;
export function pipArguments(platform: string, build: TorchBuild): string;
export function torchArguments(platform: string, build: TorchBuild): string[][];
