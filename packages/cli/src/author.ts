/** Who wrote a kernel, as it is declared: by option, by the environment of an agent, by lines in the file. */
import { AUTHOR_KINDS, readDirectives, type AuthorKind, type SubmitRequest } from "@kernelbot/core";
import { UsageError } from "./exit.ts";
import { listed } from "./text.ts";

interface Said {
  author?: string | undefined;
  model?: string | undefined;
}

/**
 * What the first of them says that names an author; nothing of what the others say is mixed in, but for a model by option.
 * The environment comes before the file, since a file that an agent works on may be a person's.
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
