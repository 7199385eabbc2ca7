/** What is longer than a message becomes a file. */
import { fenced } from "./escape.ts";
import { MAX_CONTENT, type Message } from "./protocol.ts";

export function fitting(message: Message): Message {
  if (message.content.length <= MAX_CONTENT) return message;
  const head = fenced(Array.from(message.content).slice(0, 800).join(""));
  const whole = { name: "whole.txt", data: message.content };
  return { ...message, content: `${head}\nThe rest is in the file.`, files: [...(message.files ?? []), whole] };
}
