import { test } from "vitest";
import { passes, TIMEOUT_MS } from "./script.ts";

test("format, types, import arrows and lint are in order", { timeout: TIMEOUT_MS }, async () => {
  console.log(await passes("check.ts"));
});
