/** What pages of optional features are made of. */
export { adminPage, type Outcome } from "./admin/frame.ts";
export { html, type Html } from "./html.ts";
export { breadcrumb, setCrumbs } from "./layout/breadcrumb.ts";
export { capital, count, moment, momentInBoth } from "./layout/format.ts";
export { button, doneNotice, hiddenFields, option, problemNotice } from "./layout/forms.ts";
export { page } from "./layout/layout.ts";
export type { SignedVisit, Visit } from "./layout/page-context.ts";
export { hiddenHeading, right, table } from "./layout/table.ts";
