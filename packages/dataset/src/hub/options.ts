/** Access to the Hugging Face Hub, read from the environment. */
import { KernelBotError, quote } from "@kernelbot/core";

export interface HubOptions {
  /** Token with write access to the repository. */
  token: string;
  /** OWNER/NAME. */
  repository: string;
  /** Origin of the hub, such as https://huggingface.co. */
  hubUrl: string;
}

const PREFIX = "KERNELBOT_HUGGING_FACE_";
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,95}\/[A-Za-z0-9][A-Za-z0-9_.-]{0,95}$/;

/**
 * Reads KERNELBOT_HUGGING_FACE_TOKEN and _URL.
 * @param repository OWNER/NAME.
 * @param source Name of the option or variable that names the repository, for the error message.
 * @throws KernelBotError `bad_request` that names each invalid variable and never quotes the token.
 */
export function readHubOptions(env: NodeJS.ProcessEnv, repository: string, source: string): HubOptions {
  const token = env[`${PREFIX}TOKEN`]?.trim() ?? "";
  const url = URL.parse(env[`${PREFIX}URL`] || "https://huggingface.co");
  const faults = [
    ...(/^hf_[A-Za-z0-9_-]{5,200}$/.test(token)
      ? []
      : [`${PREFIX}TOKEN: use a Hugging Face access token, which begins with hf_`]),
    ...(REPOSITORY.test(repository) ? [] : [`${source}: ${quote(repository)} must have the form OWNER/NAME`]),
    ...(url !== null && /^https?:$/.test(url.protocol) ? [] : [`${PREFIX}URL: must be an http or https URL`]),
  ];
  if (faults.length > 0) throw new KernelBotError("bad_request", faults.join("; "));
  return { token, repository, hubUrl: url?.origin ?? "" };
}
