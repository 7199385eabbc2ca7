/** Optional packages: imported on first use, and installed by the user. */
import { UsageError } from "../../command/exit.ts";

/** Imports a package. @throws UsageError with the install command when it is not installed. */
export async function loadSdk<Sdk>(name: string, api: string, load: () => Promise<Sdk>): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(name)) throw error;
    throw new UsageError(
      `--api ${api} needs the package ${name}, which is not installed; run npm install ${name}, ` +
        "with --global if KernelBot is installed globally",
      { cause: error },
    );
  }
}
