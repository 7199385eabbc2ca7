/** The data set on the Hugging Face hub that snapshots are published to, as the environment names it. */
import { KernelBotError, quote } from "@kernelbot/core";

export interface HuggingFaceOptions {
  /** A token that may write to the repository. */
  token: string;
  /** OWNER/NAME. */
  repository: string;
  /** The address of the hub, without a path. */
  hubUrl: string;
}

const PREFIX = "KERNELBOT_HUGGING_FACE_";
const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,95}\/[A-Za-z0-9][A-Za-z0-9_.-]{0,95}$/;

/**
 * What KERNELBOT_HUGGING_FACE_TOKEN, _REPO and _URL say; undefined where there is none of the first two.
 * @throws KernelBotError `bad_request` that names each variable that is wrong, and never quotes the token.
 */
export function readHuggingFaceOptions(env: NodeJS.ProcessEnv): HuggingFaceOptions | undefined {
  const token = env[`${PREFIX}TOKEN`]?.trim() ?? "";
  const repository = env[`${PREFIX}REPO`]?.trim() ?? "";
  if (token === "" && repository === "") return undefined;
  const url = URL.parse(env[`${PREFIX}URL`] || "https://huggingface.co");
  const faults = [
    ...(/^hf_[A-Za-z0-9_-]{5,200}$/.test(token)
      ? []
      : [`${PREFIX}TOKEN: use a token of Hugging Face, which begins with hf_`]),
    ...(REPOSITORY.test(repository) ? [] : [`${PREFIX}REPO: ${quote(repository)} is not like OWNER/NAME`]),
    ...(url !== null && /^https?:$/.test(url.protocol) ? [] : [`${PREFIX}URL: use an address of http`]),
  ];
  if (faults.length > 0) throw new KernelBotError("bad_request", faults.join("; "));
  return { token, repository, hubUrl: url?.origin ?? "" };
}
