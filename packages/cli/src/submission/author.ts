/**
 * Declared author of a kernel, from options, from the environment variables of an agent or from directives in the file.
 */
import { AUTHOR_KINDS, readDirectives, type AuthorKind, type SubmitRequest } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { listed } from "../output/text.ts";

interface Said {
  author?: string | undefined;
  model?: string | undefined;
}

/**
 * Returns the author and model of the first source that names an author: options, environment, directives in the file.
 * Sources are not mixed, except that `--model` always applies. The environment precedes the file because an agent may
 * be editing a file that a person wrote.
 */
export function declaredAuthor(
  source: string,
  options: Said,
  env: NodeJS.ProcessEnv = process.env,
): Pick<SubmitRequest, "author" | "model"> {
  const environment = { author: env.KERNELBOT_AUTHOR || undefined, model: env.KERNELBOT_MODEL || undefined };
  const said: Said = [options, environment, readDirectives(source)].find(({ author }) => author !== undefined) ?? {};
  const model = options.model ?? said.model;
  return {
    ...(said.author !== undefined && { author: toKind(said.author) }),
    ...(model !== undefined && { model }),
  };
}

function toKind(text: string): AuthorKind {
  const kind = AUTHOR_KINDS.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw new UsageError(`an author is ${listed(AUTHOR_KINDS)}, not ${JSON.stringify(text)}`);
}
