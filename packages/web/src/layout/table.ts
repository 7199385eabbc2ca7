/** Tables, which scroll sideways where they are wider than the screen, and the elements of description lists. */
import { html, type Html } from "../html.ts";

export interface Table {
  /** Name of the table, for a wide table that the keyboard scrolls. */
  label?: string;
  /** CSS class of the table. */
  className?: string;
  /** Id of the heading that names the table, in place of a caption. */
  labelledBy?: string;
  caption?: Html | string;
  /** Headings of the columns: texts, or the results of `right` and `hiddenHeading`. */
  columns: readonly (Html | string)[];
  /** Elements `tr`. */
  rows: readonly Html[];
}

export function table({ label, className, labelledBy, caption, columns, rows }: Table): Html {
  const attributes =
    label === undefined
      ? html`class="scroll"`
      : html`class="figure-scroll" tabindex="0" role="region" aria-label="${label}"`;
  return html`<div ${attributes}>
    <table
      ${className === undefined ? null : html`class="${className}"`}
      ${labelledBy === undefined ? null : html`aria-labelledby="${labelledBy}"`}
    >
      ${
        caption === undefined
          ? null
          : html`<caption>
              ${caption}
            </caption>`
      }
      <thead>
        <tr>
          ${columns.map((column) => (typeof column === "string" ? html`<th scope="col">${column}</th>` : column))}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** Returns the heading of a column that is aligned to the right. */
export function right(heading: string): Html {
  return html`<th scope="col" class="right">${heading}</th>`;
}

/** Returns the heading of a column for screen readers only. */
export function hiddenHeading(heading: string): Html {
  return html`<th scope="col"><span class="visually-hidden">${heading}</span></th>`;
}

type Description = Html | string | number | readonly (Html | string)[];

/** Returns a term with its description, as elements of `dl.facts`. */
export function fact(term: string, description: Description): Html {
  return html`<dt>${term}</dt>
    <dd>${description}</dd>`;
}

/** Returns a key figure, as an element of `dl.figures`. */
export function figure(label: string, value: Html | string | number): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd>${typeof value === "number" ? value.toLocaleString("en-US") : value}</dd>
  </div>`;
}
