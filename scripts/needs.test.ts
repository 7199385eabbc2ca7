import { OPTIONAL_FEATURES } from "@kernelbot/features/index.ts";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const Config = z.object({ NEEDS: z.record(z.string(), z.array(z.string())) });

test("an optional feature may import those that its manifest needs, and follows them in the list", async () => {
  const { NEEDS } = Config.parse(await import(join(import.meta.dirname, "../.dependency-cruiser.js")));
  const names = OPTIONAL_FEATURES.map(({ name }) => name);
  for (const [at, { name, needs = [] }] of OPTIONAL_FEATURES.entries()) {
    expect(NEEDS[name] ?? []).toEqual(needs);
    expect(names.slice(0, at)).toEqual(expect.arrayContaining([...needs]));
  }
});
