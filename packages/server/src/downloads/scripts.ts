/** The scripts that install programs from this server. */
import { readFile } from "node:fs/promises";
import { pipArguments } from "@kernelbot/tester/pinned-packages";
import manifest from "../../package.json" with { type: "json" };
import { checksumsOf, type Download } from "./downloads.ts";

export const SCRIPTS = ["install.sh", "install-runner.sh"] as const;

/** The systemd unit of a runner, which `install-runner.sh` contains. */
const UNIT = new URL("../../../../deploy/systemd/kernelbot-runner.service", import.meta.url);

/**
 * Returns a script, which contains all that it needs in addition to the downloads.
 * @param server Address of this server, without a slash at its end.
 */
export async function installScript(
  name: (typeof SCRIPTS)[number],
  server: string,
  offered: readonly Download[],
): Promise<string> {
  const [script, common, unit] = await Promise.all([
    readFile(new URL(`./scripts/${name}`, import.meta.url), "utf8"),
    readFile(new URL("./scripts/common.sh", import.meta.url), "utf8"),
    readFile(UNIT, "utf8"),
  ]);
  const values: Record<string, string> = {
    SERVER: server,
    VERSION: manifest.version,
    CHECKSUMS: checksumsOf(offered).trimEnd(),
    UNIT: unit.trimEnd(),
    TORCH_CPU: pipArguments("linux", "CPU"),
    TORCH_CUDA: pipArguments("linux", "CUDA"),
    TORCH_ROCM: pipArguments("linux", "ROCM"),
  };
  return script
    .replace("@COMMON@", () => common.trimEnd())
    .replaceAll(/@([A-Z_]+)@/g, (whole, key: string) => values[key] ?? whole);
}
