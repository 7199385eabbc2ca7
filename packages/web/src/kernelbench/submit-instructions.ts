/** Instructions for submitting a model's kernels. */
import { html, type Html } from "../html.ts";
import { terminalCommands } from "../layout/commands.ts";
import { submitPath, type On } from "./paths.ts";

export function submitInstructions(on: On | null, server: string): Html {
  const suite = on?.suite ?? "SUITE";
  const target = on?.target ?? "TARGET";
  return html`<section aria-labelledby="submit">
    <h2 id="submit">Submit an entry</h2>
    <p>
      An entry is one JSON file with metadata about the model and a kernel for each problem by its key, such as
      <code>level_1_problem_19_sample_0</code>. Each kernel is a Python source with a class <code>ModelNew</code> that
      computes the same result as <code>Model</code>. The entry is a draft, visible only to you and moderators, until
      you publish it.
    </p>
    <p class="buttons">
      <a class="button" href="${submitPath(on)}">Validate or submit a file</a>
    </p>
    <p>From a terminal:</p>
    ${terminalCommands(
      server,
      `kernelbot kernelbench validate entry.json --suite ${suite}
kernelbot kernelbench submit entry.json --suite ${suite} --target ${target}`,
    )}
  </section>`;
}
