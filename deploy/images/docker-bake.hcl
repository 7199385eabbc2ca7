# Builds the images, from the root of a checkout:
#
#     docker buildx bake -f deploy/images/versions.hcl -f deploy/images/docker-bake.hcl server cpu
#
# REGISTRY says where they belong: REGISTRY=ghcr.io/example docker buildx bake ... --push

variable "REGISTRY" { default = "kernelbot" }
# Where the sources are and which commit they are, for the labels.
variable "SOURCE" { default = "" }
variable "REVISION" { default = "" }

group "default" { targets = ["server", "cpu", "cuda", "rocm"] }

target "common" {
  context    = "."
  dockerfile = "deploy/images/Dockerfile"
  platforms  = ["linux/amd64"]
  # A list of contents and a record of the build go with an image to a registry; the default store of Docker has no place
  # for them.
  attest = REGISTRY == "kernelbot" ? [] : ["type=sbom", "type=provenance,mode=max"]
  labels = {
    "org.opencontainers.image.version"  = IMAGE_VERSION
    "org.opencontainers.image.source"   = SOURCE
    "org.opencontainers.image.revision" = REVISION
  }
  args = { NODE_IMAGE = NODE_IMAGE }
}

target "server" {
  inherits = ["common"]
  target   = "server"
  tags     = ["${REGISTRY}/kernelbot-server:${IMAGE_VERSION}"]
  args     = { BASE_IMAGE = SERVER_BASE }
}

target "runner" {
  inherits = ["common"]
  target   = "runner"
  args = {
    TORCH_VERSION      = TORCH_VERSION
    NUMPY_VERSION      = NUMPY_VERSION
    SETUPTOOLS_VERSION = SETUPTOOLS_VERSION
    EINOPS_VERSION     = EINOPS_VERSION
  }
}

target "cpu" {
  inherits = ["runner"]
  tags     = ["${REGISTRY}/kernelbot-runner-cpu:${IMAGE_VERSION}"]
  args = {
    RUNTIME     = "cpu"
    IMAGE       = "kernelbot-runner-cpu:${IMAGE_VERSION}"
    BASE_IMAGE  = CPU_BASE
    TORCH_INDEX = CPU_TORCH_INDEX
  }
}

target "cuda" {
  inherits = ["runner"]
  tags     = ["${REGISTRY}/kernelbot-runner-cuda:${IMAGE_VERSION}"]
  args = {
    RUNTIME                = "cuda"
    IMAGE                  = "kernelbot-runner-cuda:${IMAGE_VERSION}"
    BASE_IMAGE             = CUDA_BASE
    TORCH_INDEX            = CUDA_TORCH_INDEX
    NSIGHT_COMPUTE_VERSION = NSIGHT_COMPUTE_VERSION
    TRITON_VERSION         = TRITON_VERSION
    CUTLASS_VERSION        = CUTLASS_VERSION
    CUTLASS_DSL_VERSION    = CUTLASS_DSL_VERSION
    CUTILE_VERSION         = CUTILE_VERSION
    HELION_VERSION         = HELION_VERSION
    MATHDX_VERSION         = MATHDX_VERSION
  }
}

target "rocm" {
  inherits = ["runner"]
  tags     = ["${REGISTRY}/kernelbot-runner-rocm:${IMAGE_VERSION}"]
  args = {
    RUNTIME        = "rocm"
    IMAGE          = "kernelbot-runner-rocm:${IMAGE_VERSION}"
    BASE_IMAGE     = ROCM_BASE
    TORCH_INDEX    = ROCM_TORCH_INDEX
    HELION_VERSION = HELION_VERSION
    AITER_VERSION  = AITER_VERSION
  }
}
