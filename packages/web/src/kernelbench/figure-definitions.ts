/** Folded explanation of each figure. */
import { html, type Html } from "../html.ts";

export function howToRead(): Html {
  return html`<details id="how" class="how">
    <summary>What these figures mean</summary>
    <dl class="meanings">
      <dt>Correct</dt>
      <dd>
        Problems whose kernel gave every output within the tolerance, of all problems of the suite. A problem without a
        kernel counts as unsolved.
      </dd>
      <dt>Fast@p</dt>
      <dd>
        Problems whose kernel is correct and at least (≥) p times as fast as the baseline, of all problems. The page of
        an entry also says how many are strictly faster (&gt;).
      </dd>
      <dt>GeoMean of correct</dt>
      <dd>
        The geometric mean of the speed-ups of the correct kernels alone. Who solves less can have more of it: so it
        ranks last, and says of how many it is.
      </dd>
      <dt>GeoMean of all</dt>
      <dd>
        Robust. The same over all problems but the degenerate ones, where an unsolved problem counts as the baseline’s
        speed, 1×.
      </dd>
      <dt>Compiled</dt>
      <dd>Problems whose kernel was built and imported, of all problems.</dd>
      <dt>Robust figures</dt>
      <dd>
        Degenerate problems are left out, since zeros or an input pass, or the output does not depend on the input. A
        kernel counts as correct too if it is no farther from the result in float64 than the model itself is. A time
        that is shorter than the hardware needs counts as unsolved.
      </dd>
      <dt>Baseline</dt>
      <dd>
        The model as it is (eager) or compiled, timed on the same machine in the same session as the kernel; or stored
        times of another day, by their id.
      </dd>
    </dl>
  </details>`;
}
