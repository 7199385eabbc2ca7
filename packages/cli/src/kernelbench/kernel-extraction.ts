/** Extracts the kernel from a model's answer. */
import { MAX_KERNEL_BYTES } from "@kernelbot/core";

const MODEL_NEW = /^class[ \t]+ModelNew\b/m;
/** Opening or closing fence; the first word after an opening fence is a language, the others are attributes. */
const FENCE = /^ {0,3}(`{3,}(?!.*`)|~{3,})[ \t]*(.*?)[ \t]*$/;

export interface Answer {
  text: string;
  /** Whether the answer ended by itself, and not at a token limit. */
  complete: boolean;
}

/**
 * Returns the last code block with a class ModelNew, since earlier blocks are drafts; an answer without any block may
 * be code as a whole. Null when there is no kernel, or when the answer was cut off within the block.
 */
export function kernelOf({ text, complete }: Answer): string | null {
  const answer = withoutThoughts(text);
  const blocks = codeBlocks(answer, complete);
  const kernel = blocks === null ? (complete ? answer : "") : (blocks.findLast((block) => MODEL_NEW.test(block)) ?? "");
  if (!MODEL_NEW.test(kernel) || kernel.includes("\0")) return null;
  const whole = `${kernel.trim()}\n`;
  return Buffer.byteLength(whole) <= MAX_KERNEL_BYTES ? whole : null;
}

/** Removes the reasoning that some endpoints return before the answer; drafts in it are not answers. */
function withoutThoughts(text: string): string {
  const end = text.lastIndexOf("</think>");
  if (end >= 0) return text.slice(end + "</think>".length);
  return text.trimStart().startsWith("<think>") ? "" : text;
}

/**
 * Returns the texts between fences; null without any fence. A block still open at the end counts if the answer was not
 * cut off.
 */
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
