/** Instructions for submitting a model's kernels. */
import { html, type Html } from "../html.ts";
import { submitPath, type On } from "./paths.ts";

export function takePart(on: On | null, server: string): Html {
  const suite = on?.suite ?? "SUITE";
  const target = on?.target ?? "TARGET";
  return html`<section aria-labelledby="take-part">
    <h2 id="take-part">Take part</h2>
    <p>
      An entry is one JSON file: who the model is, and a kernel for each problem by its key, such as
      <code>level_1_problem_19_sample_0</code>. Each kernel is a Python file with a class <code>ModelNew</code> that
      computes what <code>Model</code> does. It stays a draft, which you see alone, until you publish it.
    </p>
    <p class="ways">
      <a class="button" href="${submitPath(on)}">Check or hand in a file</a>
    </p>
    <p>Or from a terminal:</p>
    <pre tabindex="0" aria-label="Commands"><code>export KERNELBOT_SERVER=${server}
kernelbot login
kernelbot kernelbench validate entry.json --suite ${suite}
kernelbot kernelbench submit entry.json --suite ${suite} --target ${target}</code></pre>
  </section>`;
}
