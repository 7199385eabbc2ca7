import { expect, test } from "vitest";
import { kernelOf } from "./model-answer.ts";

const KERNEL = "import torch\n\nclass ModelNew(torch.nn.Module):\n    pass\n";
const fenced = (code: string, info = "python") => `\`\`\`${info}\n${code}\`\`\`\n`;
const complete = (text: string) => kernelOf({ text, complete: true });

test("the kernel is the last code block with a class ModelNew", () => {
  const draft = KERNEL.replace("pass", "draft = 1");
  expect(complete(`First\n${fenced(draft)}then\n${fenced(KERNEL)}and to try it:\n${fenced("ModelNew()\n")}`)).toBe(
    KERNEL,
  );
});

test.each([
  ["an answer that is code as a whole", KERNEL],
  ["a block without the name of a language", fenced(KERNEL, "")],
  ["a block with attributes", fenced(KERNEL, 'python title="kernel.py" {1,3}')],
  ["a block with attributes in braces", fenced(KERNEL, "{.python .numberLines}")],
  ["a block between tildes with attributes", `~~~ python file=a.py\n${KERNEL}~~~\n`],
  ["a block between tildes, in lines that end in CRLF", `~~~py\n${KERNEL}~~~`.replaceAll("\n", "\r\n")],
  ["a block whose end was forgotten", `Sure.\n\`\`\`python\n${KERNEL}`],
  ["a block with a byte order mark", fenced(`\ufeff${KERNEL}`)],
  ["a block after thoughts with drafts", `<think>${fenced("class ModelNew: bad\n")}</think>${fenced(KERNEL)}`],
])("%s gives the kernel", (_, text) => {
  expect(complete(text)).toBe(KERNEL);
});

test.each([
  ["words alone", "I cannot write class ModelNew for you."],
  ["a block without ModelNew", fenced("class Model:\n    pass\n")],
  ["nothing", ""],
  ["thoughts that never end", `<think>\n${fenced(KERNEL)}`],
  ["a binary", fenced(`${KERNEL}\0`)],
  ["more than a kernel may have", fenced(`${KERNEL}#${"x".repeat(256_000)}\n`)],
])("%s is no kernel", (_, text) => {
  expect(complete(text)).toBeNull();
});

test("a block whose ModelNew is assigned is a kernel", () => {
  const assigned = "class Fast:\n    pass\n\nModelNew = Fast\n";
  expect(complete(`Here:\n${fenced(assigned)}`)).toBe(assigned);
});

test("a block that was cut at the limit of tokens is no kernel, and one that ended before is", () => {
  const cut = (text: string) => kernelOf({ text, complete: false });
  expect(cut(`\`\`\`python\n${KERNEL}`)).toBeNull();
  expect(cut(KERNEL)).toBeNull();
  expect(cut(`${fenced(KERNEL)}It works since`)).toBe(KERNEL);
});

test("a fence within a longer fence is part of the code", () => {
  const code = `${KERNEL}# \n\`\`\`\nx = 1\n`;
  expect(complete(`\`\`\`\`python\n${code}\`\`\`\`\n`)).toBe(code);
});
