/** Extracts the kernel from a model's answer: for `generate`, and for the kernels of an entry, which may be whole answers. */
import { normalizeSource } from "../submission/source.ts";
import { MAX_KERNEL_BYTES } from "./entry.ts";
import { bytesOf } from "./fault.ts";
import { openConstruct, withoutComments } from "./python-text.ts";

/** Statement that defines ModelNew: a class, a function, an assignment or an import. */
const MODEL_NEW =
  /^[ \t]*(?:(?:class|def)[ \t]+ModelNew\b|ModelNew\b[^=\n]*=(?!=)|(?:from|import)[ \t][^\n]*\bModelNew\b)/m;
/** Beginning of a fence, and the rest of its line. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** Source that is stored instead of an answer without one; the judge reports that it defines no ModelNew. */
const withoutKernel = (why: string) => `# The model's answer ${why}.\n`;

export interface Answer {
  text: string;
  /** Whether the answer ended by itself, and not at a token limit. */
  complete: boolean;
}

/**
 * Returns the last code block that defines ModelNew, since earlier blocks are drafts; an answer without any block may
 * be code as a whole. Null if the answer has no kernel, or ends within the block.
 */
export function kernelOf({ text, complete }: Answer): string | null {
  const answer = withoutThoughts(text);
  const blocks = codeBlocks(answer, complete);
  const kernel = blocks === null ? (complete ? answer : "") : (blocks.findLast((block) => MODEL_NEW.test(block)) ?? "");
  if (!MODEL_NEW.test(kernel) || kernel.includes("\0")) return null;
  // trim() also removes a byte order mark.
  const whole = `${kernel.trim()}\n`;
  return bytesOf(whole) <= MAX_KERNEL_BYTES ? whole : null;
}

/**
 * Returns the source that is judged for a kernel of an entry, with what was changed in it or is wrong with it. A bad
 * answer is data: it never rejects the entry, and counts as not compiled.
 */
export function submittedKernel(answer: string): { source: string; notes: string[] } {
  if (answer.trim() === "") {
    return { source: withoutKernel("is empty"), notes: ["the kernel is empty: it counts as not compiled"] };
  }
  if (answer.length > MAX_KERNEL_BYTES || bytesOf(answer) > MAX_KERNEL_BYTES) {
    const what = `is larger than ${MAX_KERNEL_BYTES / 1e3} kB`;
    return { source: withoutKernel(what), notes: [`the kernel ${what}: it counts as not compiled`] };
  }
  const notes: string[] = [];
  const text = answer.toWellFormed().replaceAll("\0", "\ufffd");
  if (text !== answer) notes.push("the kernel contains a NUL or half of a character, replaced by U+FFFD");
  const wrapping = wrappingOf(text);
  const kernel = wrapping === null ? null : kernelOf({ text, complete: true });
  if (wrapping !== null) {
    const outcome = kernel === null ? "and no block defines ModelNew: it counts as not compiled" : "which is removed";
    notes.push(`the kernel is ${wrapping}, ${outcome}`);
  }
  const source = kernel ?? normalizeSource(text);
  if (wrapping === null && !MODEL_NEW.test(source) && !/\bModelNew\b/.test(withoutComments(source).withStrings)) {
    notes.push("the kernel does not define ModelNew: it counts as not compiled");
  }
  const open = openConstruct(source);
  if (open !== null && (wrapping === null || kernel !== null)) {
    notes.push(`the kernel ends inside ${open}: it was probably cut off`);
  }
  return { source, notes };
}

/** Returns what surrounds the code of an answer; null if the answer may be a Python source, whose strings may contain anything. */
function wrappingOf(text: string): string | null {
  if (!/```|~~~|think>/.test(text)) return null;
  const { code } = withoutComments(text);
  if (/^\s*<think>|<\/think>/.test(code)) return "behind <think> text";
  return code.split(/\r?\n/).some((line) => fenceOf(line) !== null) ? "inside a Markdown fence" : null;
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
    const found = fenceOf(line);
    if (open === null) {
      if (found !== null) open = { fence: found.fence, lines: [] };
    } else if (found?.fence.startsWith(open.fence) === true && found.info === "") {
      blocks.push(open.lines.join("\n"));
      open = null;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== null) return complete ? [...blocks, open.lines.join("\n")] : blocks;
  return blocks.length > 0 ? blocks : null;
}

/** Parses an opening or closing fence; the first word after an opening fence is a language, the others are attributes. */
function fenceOf(line: string): { fence: string; info: string } | null {
  const [, fence, rest] = FENCE.exec(line) ?? [];
  if (fence === undefined || rest === undefined || (fence.startsWith("`") && rest.includes("`"))) return null;
  return { fence, info: rest.trim() };
}
