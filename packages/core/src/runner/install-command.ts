/**
 * Returns the command that installs and starts a runner on the machine with the hardware.
 * @param runner.server Address of the server, without a slash at its end.
 * @example
 * installRunnerCommand({ server: "https://kernels.example.org", token: "kb_...", target: "H100" });
 */
export function installRunnerCommand(runner: { server: string; token: string; target: string }): string {
  const { server, token, target } = runner;
  return `curl -fsSL ${server}/install-runner.sh | sh -s -- --token ${token} --target ${target}`;
}
