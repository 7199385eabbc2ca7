/** Names of an exported kernel: of its repository, of its Python module and function, and of a build of it. */
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { isPythonName, type KernelNames } from "@kernelbot/cli/src/kernel-export/names.ts";

/** Returns whether a text is a name of the Hub, and a name of Python with underscores for hyphens. */
function isHubName(text: string): boolean {
  return /^[a-z][-a-z0-9]*[a-z0-9]$/.test(text) && isPythonName(toPython(text));
}

function toPython(hubName: string): string {
  return hubName.replaceAll("-", "_");
}

/**
 * Returns the names of a kernel, by default after its problem.
 * @throws UsageError if a chosen name is not valid.
 */
export function kernelNames(problem: string, chosen: string | undefined): KernelNames {
  if (chosen !== undefined && !isHubName(chosen)) {
    throw new UsageError(
      `--name: ${JSON.stringify(chosen)} is not a valid kernel name; use lower-case letters, digits and hyphens, such as scale-rows`,
    );
  }
  const plain = problem.replaceAll("_", "-").replace(/-+$/, "");
  const hub = chosen ?? (isHubName(plain) ? plain : `kernel-${plain}`);
  return { hub, python: toPython(hub) };
}

/** Returns the name under which a loader imports a build: different for each source and backend. */
export function buildId({ python }: KernelNames, backend: string, sourceSha256: string): string {
  return `_${python}_${backend}_${sourceSha256.slice(0, 7)}`;
}
