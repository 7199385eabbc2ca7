import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sample } from "@kernelbot/testing/sample.ts";
import { expect, test } from "vitest";

const SCRIPT = join(import.meta.dirname, "check-unplug.ts");
const NAMES = readdirSync(join(import.meta.dirname, "../features"), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

test.each(sample(NAMES, { share: 0.15 }))("types, imports and links hold without the feature %s", (name) => {
  expect(execFileSync(process.execPath, [SCRIPT, name], { encoding: "utf8" })).toBe(
    ["types    ok", "imports  ok", "docs     ok"].map((line) => `without ${name}  ${line}\n`).join(""),
  );
});
