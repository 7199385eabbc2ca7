import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { onDisk } from "./folder.ts";

test.each(["../signing-key.pem", "datasets/../../x", ".."])(
  "a file is not written outside of its folder: %s",
  async (path) => {
    await expect(onDisk("/nonexistent/backup").write(path, Readable.from(["x"]))).rejects.toThrow("leaves its folder");
  },
);
