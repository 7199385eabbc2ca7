import { expect, test } from "vitest";
import { withGpus } from "./gpus.ts";

const targets = (listed: string[] | null, requested: string | null) => ({ listed, requested });

test("the targets of the competition file replace those of task.yml", () => {
  expect(withGpus("gpus: [L4]\nlang: py\n", targets(["MI300"], "cpu"))).toBe("gpus:\n  - MI300\nlang: py\n");
  expect(withGpus("{ lang: py }", targets(["MI300"], null))).toBe("{ lang: py, gpus: [ MI300 ] }\n");
  expect(withGpus("lang: py", targets(["MI300"], null))).toBe('lang: py\ngpus: ["MI300"]\n');
});

test("a requested target counts only where no file names a target", () => {
  for (const none of ["lang: py\n", "lang: py\ntargets: {}\n", "lang: py\ntargets:\n"]) {
    expect(withGpus(none, targets(null, "H100"))).toBe(`${none}gpus: ["H100"]\n`);
  }
  for (const named of ["gpus: [L4]\n", "targets: { cpu: }\n", "gpus: []\ntargets: { cpu: }\n"]) {
    expect(withGpus(named, targets(null, "H100"))).toBe(named);
  }
});

test("text that is not a mapping or not YAML stays for the reader to report", () => {
  expect(withGpus("{ gpus: [", targets(["MI300"], null))).toBe("{ gpus: [");
  expect(withGpus("gpus: [L4]", targets(null, null))).toBe("gpus: [L4]");
});
