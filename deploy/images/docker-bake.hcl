# Builds the runner images, from the root of a checkout:
#
#     docker buildx bake -f deploy/images/versions.hcl -f deploy/images/docker-bake.hcl cuda
#
# REGISTRY says where they belong: REGISTRY=ghcr.io/example docker buildx bake ... --push

variable "REGISTRY" { default = "kernelbot" }

group "default" { targets = ["cpu", "cuda", "rocm"] }

target "common" {
  context    = "."
  dockerfile = "deploy/images/Dockerfile"
  platforms  = ["linux/amd64"]
  args = {
    NODE_VERSION       = NODE_VERSION
    TORCH_VERSION      = TORCH_VERSION
    NUMPY_VERSION      = NUMPY_VERSION
    SETUPTOOLS_VERSION = SETUPTOOLS_VERSION
    EINOPS_VERSION     = EINOPS_VERSION
  }
}

target "cpu" {
  inherits = ["common"]
  tags     = ["${REGISTRY}/kernelbot-runner-cpu:${IMAGE_VERSION}"]
  args     = { BASE_IMAGE = CPU_BASE, TORCH_INDEX = CPU_TORCH_INDEX, IMAGE = "kernelbot-runner-cpu:${IMAGE_VERSION}" }
}

target "cuda" {
  inherits = ["common"]
  tags     = ["${REGISTRY}/kernelbot-runner-cuda:${IMAGE_VERSION}"]
  args     = { BASE_IMAGE = CUDA_BASE, TORCH_INDEX = CUDA_TORCH_INDEX, IMAGE = "kernelbot-runner-cuda:${IMAGE_VERSION}" }
}

target "rocm" {
  inherits = ["common"]
  tags     = ["${REGISTRY}/kernelbot-runner-rocm:${IMAGE_VERSION}"]
  args     = { BASE_IMAGE = ROCM_BASE, TORCH_INDEX = ROCM_TORCH_INDEX, IMAGE = "kernelbot-runner-rocm:${IMAGE_VERSION}" }
}
