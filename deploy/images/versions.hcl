# Every version of the images, and of what `npm run setup` installs with pip, and nowhere else. After a change here give the
# images a new version too: runners report it with each machine, and each score shows it.

variable "IMAGE_VERSION" { default = "3" }

variable "NODE_IMAGE" { default = "node:24.21.0-bookworm-slim" }
variable "SERVER_BASE" { default = "debian:12.13-slim" }

variable "TORCH_VERSION" { default = "2.10.0" }
variable "NUMPY_VERSION" { default = "2.3.5" }
variable "SETUPTOOLS_VERSION" { default = "80.9.0" }
variable "EINOPS_VERSION" { default = "0.8.2" }
variable "HELION_VERSION" { default = "1.0.0" }

variable "CPU_BASE" { default = "ubuntu:24.04" }
variable "CPU_TORCH_INDEX" { default = "https://download.pytorch.org/whl/cpu" }

# cuTile needs CUDA 13.1 or newer; PyTorch brings its own libraries of CUDA 13.0. Nsight Compute is that of CUDA 13.1.1.
variable "CUDA_BASE" { default = "nvidia/cuda:13.1.1-devel-ubuntu24.04" }
variable "CUDA_TORCH_INDEX" { default = "https://download.pytorch.org/whl/cu130" }
variable "NSIGHT_COMPUTE_VERSION" { default = "2025.4.1" }
variable "TRITON_VERSION" { default = "3.6.0" }
variable "CUTLASS_VERSION" { default = "4.4.2" }
variable "CUTLASS_DSL_VERSION" { default = "4.4.2" }
variable "CUTILE_VERSION" { default = "1.5.0" }
variable "MATHDX_VERSION" { default = "25.6.0" }

# Its rocprofiler-sdk has rocprofv3.
variable "ROCM_BASE" { default = "rocm/dev-ubuntu-24.04:7.1.1-complete" }
variable "ROCM_TORCH_INDEX" { default = "https://download.pytorch.org/whl/rocm7.1" }
variable "AITER_VERSION" { default = "0.1.10.post3" }
