/**
 * The environment of a child process: an allow-list, so that a secret which an operator adds to the environment of a
 * server or a runner never reaches a program that has no use for it.
 */

/** An environment, as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What any program needs to find its files and to print text. */
const BASE = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TERM|COLORTERM|NO_COLOR|XDG_[A-Z_]+)$/;

/** What each kind of program needs in addition to BASE. */
const NEEDS = {
  /** Nothing else. */
  plain: [],
  /** Proxies and certificates of the machine. */
  network: [/^(https?|all|no)_proxy$/i, /^(NODE_USE_ENV_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/],
  /** An interpreter with PyTorch, its compilers and its accelerator. */
  python: [
    /^(PYTHONPATH|PYTHONHOME|VIRTUAL_ENV|CONDA_PREFIX|LD_LIBRARY_PATH|CC|CXX)$/,
    /^(OMP|MKL|OPENBLAS|TORCH|TRITON|CUDA|NVIDIA|ROCR|ROCM|HIP|HSA)_[A-Z0-9_]+$/,
    /^KERNELBOT_(PYTHON|IMAGE)$/,
  ],
  /** The system's ssh, with the agent of whoever started us. */
  ssh: [/^SSH_[A-Z_]+$/],
  /** The user's git, which may ask ssh and other helpers. */
  git: [/^GIT_[A-Z_0-9]+$/],
} as const satisfies Record<string, readonly RegExp[]>;

/** Names within an allowed family that hold a secret all the same, such as `CUDA_REGISTRY_TOKEN`. */
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|_KEY$/i;

/**
 * Returns the variables of `env` that a child process with these needs may have.
 *
 * @example
 * spawn("ssh", args, { env: childEnvironment(process.env, "ssh") });
 */
export function childEnvironment(env: Environment, ...needs: (keyof typeof NEEDS)[]): Record<string, string> {
  const allowed: readonly RegExp[] = [BASE, ...needs.flatMap((need): readonly RegExp[] => NEEDS[need])];
  const isAllowed = (name: string): boolean => !SECRET_NAME.test(name) && allowed.some((pattern) => pattern.test(name));
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && isAllowed(name) ? [[name, value]] : [])),
  );
}
