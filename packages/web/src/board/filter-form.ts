/** Filter form of a board, and the actions on selected rows. */
import { VERIFICATION_STATUSES, type AuthorKind } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { BoardPage } from "./page-data.ts";
import { boardPath, queryOf } from "./filter.ts";

const AUTHORS: readonly (readonly [AuthorKind, string])[] = [
  ["human", "people"],
  ["assisted", "people with a model"],
  ["autonomous", "models by themselves"],
];

/**
 * Renders the filter form. Its button submits it without script; the island `board` submits it while the user types.
 */
export function filters({ board, filter }: BoardPage): Html {
  return html`<form class="filters" id="filters" action="${boardPath(board)}" role="search">
    ${filter.edition === null ? null : html`<input type="hidden" name="edition" value="${filter.edition}" />`}
    <label class="find"
      >Find
      <input type="search" name="search" value="${filter.search}" placeholder="name, model or file" maxlength="200" />
    </label>
    <label
      >Written by
      <select name="author">
        ${option("", "everybody", filter.author ?? "")}
        ${AUTHORS.map(([kind, words]) => option(kind, words, filter.author ?? ""))}
      </select>
    </label>
    ${
      board.rows[0]?.imported === true
        ? null
        : html`<label
            >Standing
            <select name="standing">
              ${option("", "any", filter.standing ?? "")}
              ${VERIFICATION_STATUSES.map((standing) => option(standing, standing, filter.standing ?? ""))}
            </select>
          </label>`
    }
    ${
      board.cases.length === 0
        ? null
        : html`<label class="choice"
            ><input type="checkbox" name="cases" value="1" ${filter.cases ? html`checked` : null} />Times by case</label
          >`
    }
    ${filter.unfrozen ? html`<input type="hidden" name="unfrozen" value="true" />` : null}
    <button class="quiet">Show</button>
  </form>`;
}

function option(value: string, words: string, chosen: string): Html {
  return html`<option value="${value}" ${value === chosen ? html`selected` : null}>${words}</option>`;
}

/**
 * Renders the actions on selected rows, which slide in while rows are selected: their checkboxes belong to this form.
 */
export function chosen({ board, filter }: BoardPage): Html {
  const rest = [...queryOf({ ...filter, with: [] })];
  return html`<form class="chosen" id="chosen" action="/compare">
    ${rest.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <p>Chosen rows</p>
    <button name="target" value="${board.target}">Compare the two</button>
    <button class="quiet" formaction="${boardPath(board)}">Show in the chart</button>
    <button class="quiet" type="reset">Choose none</button>
  </form>`;
}
