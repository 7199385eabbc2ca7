/** Shortens messages; the full content becomes a file. */
import { sanitize } from "@kernelbot/core";
import { fenced } from "./escape.ts";
import { MAX_CONTENT, type Message } from "./protocol.ts";

export function fitMessage(message: Message): Message {
  if (message.content.length <= MAX_CONTENT) return message;
  const head = fenced(Array.from(message.content).slice(0, 800).join(""));
  const whole = { name: "whole.txt", data: message.content };
  return { ...message, content: `${head}\nThe full text is attached.`, files: [...(message.files ?? []), whole] };
}

/** Returns a message of a sentence and lines; lines that do not fit become a file of this name. */
export function listMessage(sentence: string, lines: readonly string[], file: string): Message {
  if (lines.length === 0) return { content: sentence };
  const content = `${sentence}\n${fenced(lines.join("\n"))}`;
  if (content.length <= MAX_CONTENT) return { content };
  return {
    content: `${sentence} See the attached file.`,
    files: [{ name: file, data: `${sanitize(lines.join("\n"))}\n` }],
  };
}
