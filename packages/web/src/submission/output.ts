/** Output of a kernel and its compiler: untrusted text, cleaned, escaped and folded. */
import { sanitize, formatCount, detailTitle, type RunDetail, type StageResult } from "@kernelbot/core";
import { html, type Html } from "../html.ts";

/** Number of lines of a long text that are shown at its head, and again at its tail. */
const SHOWN_LINES = 200;

/**
 * Renders the traceback or compile log and the output of each stage, for viewers of the whole submission; null if there
 * is no text.
 */
export function outputSection(run: RunDetail): Html | null {
  const outputs = run.stages.filter(({ output }) => output !== null && outputText(output).trim() !== "");
  const detail = run.detail?.trim() === "" ? null : run.detail;
  const rival = run.duel?.failures.b ?? null;
  if (outputs.length === 0 && detail === null && rival?.detail == null) return null;
  return html`<div class="run-output" id="output-${run.id}">
    ${detail === null ? null : block(detailTitle(run.failureClass), detail, `detail-${run.id}`, true)}
    ${rival?.detail == null ? null : block(`${detailTitle(rival.failureClass)} of B`, rival.detail, `rival-${run.id}`, true)}
    ${outputs.map(({ stage, output }) =>
      output === null ? null : block(`Output of ${stage}`, outputText(output), `output-${run.id}-${stage}`, false),
    )}
  </div>`;
}

function block(title: string, text: string, id: string, isOpen: boolean): Html {
  const lines = sanitize(text).replace(/\n+$/, "").split("\n");
  const left = lines.length - 2 * SHOWN_LINES;
  const shown =
    left <= 1
      ? lines
      : [
          ...lines.slice(0, SHOWN_LINES),
          `… ${formatCount(left, "line")} omitted; kernelbot show --json prints them …`,
          ...lines.slice(-SHOWN_LINES),
        ];
  return html`<details id="${id}" ${isOpen ? html`open` : null}>
    <summary>${title} <small>${formatCount(lines.length, "line")}</small></summary>
    <pre class="output-text" tabindex="0"><code>${shown.join("\n")}</code></pre>
  </details>`;
}

function outputText(output: NonNullable<StageResult["output"]>): string {
  if (output.droppedBytes === 0) return output.head + output.tail;
  return `${output.head.replace(/\n$/, "")}\n… ${formatCount(output.droppedBytes, "byte")} omitted …\n${output.tail}`;
}
