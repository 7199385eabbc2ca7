/** Options of publishing to a dataset on the Hugging Face Hub, read from the environment. */
import { readHubOptions, type HubOptions } from "@kernelbot/dataset";

export type HuggingFaceOptions = HubOptions;

const PREFIX = "KERNELBOT_HUGGING_FACE_";

/**
 * Reads KERNELBOT_HUGGING_FACE_TOKEN, _REPO and _URL; undefined when the first two are not set.
 * @throws KernelBotError `bad_request` that names each invalid variable and never quotes the token.
 */
export function readHuggingFaceOptions(env: NodeJS.ProcessEnv): HuggingFaceOptions | undefined {
  const repository = env[`${PREFIX}REPO`]?.trim() ?? "";
  if ((env[`${PREFIX}TOKEN`]?.trim() ?? "") === "" && repository === "") return undefined;
  return readHubOptions(env, repository, `${PREFIX}REPO`);
}
