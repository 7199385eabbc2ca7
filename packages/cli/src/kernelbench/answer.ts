/** The kernel in what a model answered. */
import { MAX_KERNEL_BYTES } from "@kernelbot/core";

const MODEL_NEW = /^class[ \t]+ModelNew\b/m;
/** An opening or closing fence; the first word after an opening one is a language, and the others are attributes. */
const FENCE = /^ {0,3}(`{3,}(?!.*`)|~{3,})[ \t]*(.*?)[ \t]*$/;

export interface Answer {
  text: string;
  /** Whether it ended since there was no more to say, and not at a limit of tokens. */
  complete: boolean;
}

/**
 * The last code block with a class ModelNew, since earlier ones are drafts; an answer without any block may be code as
 * a whole. Null where there is none, and of an answer that was cut where the block does not end.
 */
export function kernelOf({ text, complete }: Answer): string | null {
  const said = withoutThoughts(text);
  const blocks = codeBlocks(said, complete);
  const kernel = blocks === null ? (complete ? said : "") : (blocks.findLast((block) => MODEL_NEW.test(block)) ?? "");
  if (!MODEL_NEW.test(kernel) || kernel.includes("\0")) return null;
  const whole = `${kernel.trim()}\n`;
  return Buffer.byteLength(whole) <= MAX_KERNEL_BYTES ? whole : null;
}

/** Some endpoints hand out what a model thinks before its answer; drafts in it are no answers. */
function withoutThoughts(text: string): string {
  const end = text.lastIndexOf("</think>");
  if (end >= 0) return text.slice(end + "</think>".length);
  return text.trimStart().startsWith("<think>") ? "" : text;
}

/** The texts between fences; null where there is no fence. One that is still open at the end counts if nothing was cut. */
function codeBlocks(text: string, complete: boolean): string[] | null {
  const blocks: string[] = [];
  let open: { fence: string; lines: string[] } | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, fence, info] = FENCE.exec(line) ?? [];
    if (open === null) {
      if (fence !== undefined) open = { fence, lines: [] };
    } else if (fence?.startsWith(open.fence) === true && info === "") {
      blocks.push(open.lines.join("\n"));
      open = null;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== null) return complete ? [...blocks, open.lines.join("\n")] : blocks;
  return blocks.length > 0 ? blocks : null;
}
