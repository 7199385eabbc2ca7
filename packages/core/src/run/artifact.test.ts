import { expect, test } from "vitest";
import { ArtifactName } from "./artifact.ts";

test.each(["profile.0.txt", "profile.0.trace.json.gz", "a", "a-b_c"])("%s is a valid artifact name", (name) => {
  expect(ArtifactName.safeParse(name).success).toBe(true);
});

test.each(["", ".hidden", "..", "a..b", "a.", "a/b", "../a", "A", 'a"b', "a b", "a\n", "ä", "a".repeat(101)])(
  "%j is none, since it would mean something to a path, a header or a shell",
  (name) => {
    expect(ArtifactName.safeParse(name).success).toBe(false);
  },
);
