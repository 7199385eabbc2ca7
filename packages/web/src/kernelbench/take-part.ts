/** How one hands in a model's kernels. */
import { html, type Html } from "../html.ts";
import { submitPath } from "./address.ts";
import type { ModelsPage } from "./models.ts";

export function takePart(shown: ModelsPage["shown"], server: string): Html {
  const suite = shown?.suite.name ?? "SUITE";
  const target = shown?.target ?? "TARGET";
  return html`<section aria-labelledby="take-part">
    <h2 id="take-part">Take part</h2>
    <p>
      An entry is one JSON file: who the model is, and a kernel for each problem by its key, such as
      <code>level_1_problem_19_sample_0</code>. Each kernel is a Python file with a class <code>ModelNew</code> that
      computes what <code>Model</code> does. It stays a draft, which you see alone, until you publish it.
    </p>
    <p class="ways">
      <a class="button" href="${submitPath(shown === null ? null : { suite, target })}">Check or hand in a file</a>
    </p>
    <p>Or from a terminal:</p>
    <pre tabindex="0" aria-label="Commands"><code>export KERNELBOT_SERVER=${server}
kernelbot login
kernelbot kernelbench validate entry.json --suite ${suite}
kernelbot kernelbench submit entry.json --suite ${suite} --target ${target}</code></pre>
  </section>`;
}
