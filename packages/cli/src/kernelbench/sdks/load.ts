/** Packages that the command can do without: loaded when they are used, and installed by whoever uses them. */
import { UsageError } from "../../exit.ts";

/** @throws UsageError where the package is not installed, with the command that installs it. */
export async function loadSdk<Sdk>(name: string, api: string, load: () => Promise<Sdk>): Promise<Sdk> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(name)) throw error;
    throw new UsageError(
      `--api ${api} needs the package ${name}, which is not installed: npm install ${name}, ` +
        "with --global where kernelbot is installed so",
      { cause: error },
    );
  }
}
