/** Form of the editor: the source and the other fields of a submission. Its buttons are placed outside it. */
import { EXTENSIONS, MAX_SOURCE_BYTES } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { EditorPage } from "./page-data.ts";
import { authorFields, FORM, licenceField, licenceRule, membersOnly } from "./fields.ts";

export function form({ problem, terms, starters, fields, origin, refusal, key }: EditorPage): Html {
  const endings = terms.languages.flatMap((language) =>
    EXTENSIONS[language].map((ending) => [ending, language] as const),
  );
  const from =
    typeof origin === "number"
      ? html`This is the source of <a href="/submissions/${origin}">submission ${origin}</a>.`
      : null;
  return html`<form
    id="${FORM}"
    method="post"
    action="/problems/${problem.name}/submit"
    enctype="multipart/form-data"
    data-problem="${problem.name}"
    data-origin="${String(origin)}"
    data-endings="${JSON.stringify(Object.fromEntries(endings))}"
    data-most-bytes="${MAX_SOURCE_BYTES}"
  >
    <input type="hidden" name="key" value="${key}" autocomplete="off" />
    <div id="refusal" role="alert">${refusal === undefined ? null : html`<p class="notice bad">${refusal}</p>`}</div>
    <div class="submit-fields">
      <label>
        File name
        <input name="fileName" value="${fields.fileName}" maxlength="200" autocomplete="off" spellcheck="false" />
      </label>
      <label>
        or upload a file
        <input type="file" name="file" accept="${endings.map(([ending]) => ending).join(",")}" />
      </label>
      <nav aria-label="Starting points">
        Start from
        ${starters.map(({ name, fileName }) => html` <a href="?template=${encodeURIComponent(fileName)}">${name}</a>`)}
      </nav>
    </div>
    <p id="origin">${from}</p>
    <label for="source" class="visually-hidden">Source</label>
    <textarea id="source" name="source" rows="24" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off">
${fields.source}</textarea>
    <div class="state">
      <p>
        <span id="size">At most ${MAX_SOURCE_BYTES.toLocaleString("en-US")} bytes</span> in a file named
        ${endings.map(([ending]) => ending).join(", ")}
      </p>
      <p id="draft" class="needs-script" role="status"></p>
      <button type="button" id="discard" class="quiet" hidden>Discard draft</button>
    </div>
    <div class="submit-fields">${authorFields(fields)} ${licenceField(terms, fields.licence)}</div>
    ${membersOnly(terms)} ${licenceRule(terms)}
  </form>`;
}
