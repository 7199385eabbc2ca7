/**
 * Builds the environment of a child process from an allow-list, so that secrets in the environment of a server or
 * runner do not reach programs that do not need them.
 */

/** Environment such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that every program needs to find its files and print text. */
const BASE = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TERM|COLORTERM|NO_COLOR|XDG_[A-Z_]+)$/;

/** Variables that each kind of program needs in addition to BASE. */
const NEEDS = {
  /** None. */
  plain: [],
  /** Proxies and certificates of the machine. */
  network: [/^(https?|all|no)_proxy$/i, /^(NODE_USE_ENV_PROXY|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/],
  /** Python interpreter with PyTorch, its compilers and its accelerator. */
  python: [
    /^(PYTHONPATH|PYTHONHOME|VIRTUAL_ENV|CONDA_PREFIX|LD_LIBRARY_PATH|CC|CXX)$/,
    /^(OMP|MKL|OPENBLAS|TORCH|TRITON|CUDA|NVIDIA|ROCR|ROCM|HIP|HSA)_[A-Z0-9_]+$/,
    /^KERNELBOT_(PYTHON|IMAGE)$/,
  ],
  /** The system's ssh with the user's agent. */
  ssh: [/^SSH_[A-Z_]+$/],
  /** The user's git, which may run ssh and other helpers. */
  git: [/^GIT_[A-Z_0-9]+$/],
} as const satisfies Record<string, readonly RegExp[]>;

/** Secrets within an allowed prefix, such as `CUDA_REGISTRY_TOKEN`. */
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
