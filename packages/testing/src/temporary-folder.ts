/**
 * Gives each test file a temporary folder of its own, which is removed with the scratch folder. Testers take turns by
 * files in their temporary folder, so that a timed run has the machine for itself: those of one test file would wait
 * for those of the others.
 */
import { chmodSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";

const folder = mkdtempSync(join(inject("scratch"), "tmp-"));
// As /tmp is, for programs that run as another user.
chmodSync(folder, 0o1777);
process.env["TMPDIR"] = folder;
