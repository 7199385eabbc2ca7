/** Folded explanation of each figure. */
import { html, type Html } from "../html.ts";

export function figureDefinitions(): Html {
  return html`<details id="how" class="definitions">
    <summary>About these figures</summary>
    <dl class="meanings">
      <dt>Correct</dt>
      <dd>
        Share of the suite’s problems whose kernel computed every output within the tolerance. A problem without a
        kernel counts as unsolved.
      </dd>
      <dt>Fast@p</dt>
      <dd>
        Share of all problems whose kernel is correct and at least (≥) p times as fast as the baseline. The page of an
        entry also shows the share that is strictly faster (&gt;).
      </dd>
      <dt>GeoMean of correct</dt>
      <dd>
        Geometric mean of the speedups of the correct kernels. An entry that solves fewer problems can have a higher
        mean, so it is the last ranking criterion and is shown with the number of kernels.
      </dd>
      <dt>GeoMean of all</dt>
      <dd>
        Robust figure: geometric mean over all problems except degenerate ones. An unsolved problem counts as 1×, the
        speed of the baseline.
      </dd>
      <dt>Compiled</dt>
      <dd>Share of all problems whose kernel was built and imported.</dd>
      <dt>Robust figures</dt>
      <dd>
        Degenerate problems are excluded: those where zeros or an input pass as output, or where the output does not
        depend on the input. A kernel also counts as correct if its error relative to a float64 computation is no larger
        than that of the PyTorch model. A runtime below the speed-of-light bound counts as unsolved.
      </dd>
      <dt>Baseline</dt>
      <dd>
        The PyTorch model, eager or compiled, timed on the same machine in the same session as the kernel; or times that
        were measured earlier and stored under an ID.
      </dd>
    </dl>
  </details>`;
}
