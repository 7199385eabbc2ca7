/** Options of publishing to a dataset on the Hugging Face Hub, read from the environment. */
import { KernelBotError, quote } from "@kernelbot/core";

export interface HuggingFaceOptions {
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
 * Reads KERNELBOT_HUGGING_FACE_TOKEN, _REPO and _URL; undefined when the first two are not set.
 * @throws KernelBotError `bad_request` that names each invalid variable and never quotes the token.
 */
export function readHuggingFaceOptions(env: NodeJS.ProcessEnv): HuggingFaceOptions | undefined {
  const token = env[`${PREFIX}TOKEN`]?.trim() ?? "";
  const repository = env[`${PREFIX}REPO`]?.trim() ?? "";
  if (token === "" && repository === "") return undefined;
  const url = URL.parse(env[`${PREFIX}URL`] || "https://huggingface.co");
  const faults = [
    ...(/^hf_[A-Za-z0-9_-]{5,200}$/.test(token)
      ? []
      : [`${PREFIX}TOKEN: use a Hugging Face access token, which begins with hf_`]),
    ...(REPOSITORY.test(repository) ? [] : [`${PREFIX}REPO: ${quote(repository)} must have the form OWNER/NAME`]),
    ...(url !== null && /^https?:$/.test(url.protocol) ? [] : [`${PREFIX}URL: must be an http or https URL`]),
  ];
  if (faults.length > 0) throw new KernelBotError("bad_request", faults.join("; "));
  return { token, repository, hubUrl: url?.origin ?? "" };
}
