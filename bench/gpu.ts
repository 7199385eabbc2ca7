import { spawnSync } from "node:child_process";
import { findPython, TESTER_DIRECTORY } from "@kernelbot/tester";
import { z } from "zod";
import type { Bench, Figure } from "./figure.ts";

const Measured = z.union([
  z.object({ nothing: z.string() }),
  z.object({
    device: z.string(),
    figures: z.array(
      z.object({
        name: z.string(),
        value: z.number(),
        unit: z.enum(["us", "%"]),
        peer: z.string().nullable(),
        peerValue: z.number().nullable(),
      }),
    ),
  }),
]);

/**
 * Measures on an accelerator: the judge's times of kernels of 20 us, 100 us and 1 ms, compared with device events
 * recorded directly around them; and the variation of three kernels' scores from run to run, compared with Triton's
 * do_bench for the same duration (without Triton, a loop of the same design). Without an accelerator it prints the
 * reason and returns no figures.
 */
export const gpu: Bench = async () => {
  const { path: python } = await findPython();
  const { status, stdout } = spawnSync(python, ["-m", "kernelbot_tester.qualify.gpu"], {
    cwd: TESTER_DIRECTORY,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error("the accelerator could not be measured: see above");
  const measured = Measured.parse(JSON.parse(stdout));
  if ("nothing" in measured) {
    console.error(`gpu: nothing was measured, since ${measured.nothing}.`);
    return [];
  }
  return measured.figures.map(({ name, value, unit, peer, peerValue }): Figure => {
    const figure = { name: `${measured.device}: ${name}`, value, unit };
    return peer === null || peerValue === null ? figure : { ...figure, peer, peerValue };
  });
};
