/** Reads and extends the text of CHANGELOG.md. */

/** A change since the last release. */
export interface Change {
  /** Severity of the change, as in semantic versioning. */
  type: "major" | "minor" | "patch";
  /** Markdown. */
  summary: string;
}

const HEADINGS = { major: "Changed", minor: "Added", patch: "Fixed" } as const;

/** Returns the text with a section of the changes of a version, above the sections of earlier versions. */
export function withVersion(text: string, version: string, date: string, changes: readonly Change[]): string {
  const parts = Object.entries(HEADINGS).map(([type, heading]) => {
    const items = changes.filter((change) => change.type === type).map(({ summary }) => toListItem(summary));
    return items.length === 0 ? "" : `### ${heading}\n\n${items.join("")}\n`;
  });
  const section = `## ${version} (${date})\n\n${parts.join("")}`;
  const earlier = /^## /m.exec(text)?.index ?? text.length;
  return `${text.slice(0, earlier)}${section}${text.slice(earlier)}`;
}

/** Returns what the section of a version says. @throws if it is missing or empty. */
export function changesOf(text: string, version: string): string {
  const sections = text.split(/^(?=## )/m);
  const found = sections.find((section) => /^## (\S+)/.exec(section)?.[1] === version);
  const changes = found?.slice(found.indexOf("\n")).trim() ?? "";
  if (changes === "") throw new Error(`CHANGELOG.md says nothing below "## ${version}": describe the changes there`);
  return changes;
}

function toListItem(summary: string): string {
  return `- ${summary.trim().replaceAll("\n", "\n  ")}\n`;
}
