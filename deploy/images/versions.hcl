# Every version of the runner images, and of what `npm run setup` installs with pip, and nowhere else. After a change here give the images a new version too: runners report it
# with each machine, so that it stands beside every score.

variable "IMAGE_VERSION" { default = "2" }

variable "NODE_VERSION" { default = "24.21.0" }
variable "TORCH_VERSION" { default = "2.10.0" }
variable "NUMPY_VERSION" { default = "2.3.5" }
variable "SETUPTOOLS_VERSION" { default = "80.9.0" }
variable "EINOPS_VERSION" { default = "0.8.2" }

variable "CPU_BASE" { default = "ubuntu:24.04" }
variable "CPU_TORCH_INDEX" { default = "https://download.pytorch.org/whl/cpu" }

variable "CUDA_BASE" { default = "nvidia/cuda:13.0.2-devel-ubuntu24.04" }
variable "CUDA_TORCH_INDEX" { default = "https://download.pytorch.org/whl/cu130" }

variable "ROCM_BASE" { default = "rocm/dev-ubuntu-24.04:7.1-complete" }
variable "ROCM_TORCH_INDEX" { default = "https://download.pytorch.org/whl/rocm7.1" }
