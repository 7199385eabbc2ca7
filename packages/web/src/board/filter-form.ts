/** Filter form of a board, and the actions on selected rows. */
import { VERIFICATION_STATUSES, type AuthorKind } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { capital } from "../layout/format.ts";
import { isImported, type BoardPage } from "./page-data.ts";
import { boardPath, queryOf } from "./filter.ts";
import { option, checkbox } from "../layout/forms.ts";

const AUTHORS: readonly (readonly [AuthorKind, string])[] = [
  ["human", "Human"],
  ["assisted", "Human with a model"],
  ["autonomous", "Model only"],
];

/**
 * Renders the filter form. Its button submits it without script; the island `board` submits it while the user types.
 */
export function filters({ board, filter }: BoardPage): Html {
  return html`<form class="filters" id="filters" action="${boardPath(board)}" role="search">
    ${filter.revision === null ? null : html`<input type="hidden" name="revision" value="${filter.revision}" />`}
    <label class="search-field"
      >Search
      <input type="search" name="search" value="${filter.search}" placeholder="name, model or file" maxlength="200" />
    </label>
    <label
      >Author
      <select name="author">
        ${option("", filter.author, "Any")} ${AUTHORS.map(([kind, label]) => option(kind, filter.author, label))}
      </select>
    </label>
    ${
      isImported(board)
        ? null
        : html`<label
            >Status
            <select name="verification">
              ${option("", filter.verification, "Any")}
              ${VERIFICATION_STATUSES.map((verification) => option(verification, filter.verification, capital(verification)))}
            </select>
          </label>`
    }
    ${board.cases.length === 0 ? null : checkbox("cases", "1", filter.cases, "Runtime per case")}
    ${filter.unfrozen ? html`<input type="hidden" name="unfrozen" value="true" />` : null}
    <button class="quiet">Filter</button>
  </form>`;
}

/**
 * Renders the form with the actions on selected rows, to which the rows' checkboxes belong. It is visible only while rows
 * are selected.
 */
export function selectionForm({ board, filter }: BoardPage): Html {
  const rest = [...queryOf({ ...filter, with: [] })];
  return html`<form class="chosen" id="chosen" action="/compare">
    ${rest.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <p>Selected rows</p>
    <button name="target" value="${board.target}">Compare two</button>
    <button class="quiet" formaction="${boardPath(board)}">Show in the chart</button>
    <button class="quiet" type="reset">Clear selection</button>
  </form>`;
}
