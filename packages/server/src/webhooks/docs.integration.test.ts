/** Checks that the code in docs/guides/receive-webhooks.md verifies signatures correctly. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { webhookHeaders, webhookSecret } from "@kernelbot/core";
import { expect, inject, test } from "vitest";

const PAGE = readFileSync(join(import.meta.dirname, "../../../../docs/guides/receive-webhooks.md"), "utf8");
const SECRET = webhookSecret(new Uint8Array(32).fill(7));
const BODY = '{"type":"webhook.test","text":"µs"}';

/** Runs the page's code block of this language, followed by `call`, on the cases; returns its output. */
function verdicts(language: string, extension: string, call: string, command: string, cases: object): unknown {
  const [, block = ""] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(PAGE) ?? [];
  const file = join(mkdtempSync(join(inject("scratch"), "docs-")), `verify.${extension}`);
  writeFileSync(file, `${block}\n${call}\n`);
  return JSON.parse(execFileSync(command, [file], { input: JSON.stringify(cases), encoding: "utf8" }));
}

const TS_CALL = `
const cases = JSON.parse((await import("node:fs")).readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map((each) => isGenuine(each.secret, new Headers(each.headers), each.body))));`;
const PYTHON_CALL = `
import json, sys
cases = json.load(sys.stdin)
print(json.dumps([is_genuine(each["secret"], each["headers"], each["body"].encode()) for each in cases]))`;

test.each([
  ["ts", "ts", TS_CALL, process.execPath],
  ["python", "py", PYTHON_CALL, "python3"],
])("the lines in %s take what is genuine, and nothing else", async (language, extension, call, command) => {
  const now = new Date();
  const headers = await webhookHeaders(SECRET, "msg_1", now, BODY);
  const old = await webhookHeaders(SECRET, "msg_1", new Date(now.getTime() - 600_000), BODY);
  const genuine = { secret: SECRET, headers, body: BODY };
  const rotated = { ...headers, "webhook-signature": `v1,AAAA ${headers["webhook-signature"]}` };
  const cases = [
    genuine,
    { ...genuine, headers: rotated },
    { ...genuine, body: `${BODY} ` },
    { ...genuine, secret: webhookSecret(new Uint8Array(32)) },
    { ...genuine, headers: { ...headers, "webhook-id": "msg_2" } },
    { ...genuine, headers: { ...headers, "webhook-timestamp": "now" } },
    { ...genuine, headers: old },
  ];
  expect(verdicts(language, extension, call, command, cases)).toEqual([true, true, false, false, false, false, false]);
});
