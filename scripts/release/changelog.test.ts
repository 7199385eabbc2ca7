import { expect, test } from "vitest";
import { changesOf, withVersion } from "./changelog.ts";

const TEXT = `# Changelog

Notable changes.

## 0.1.0 (2026-11-01)

### Added

- Everything.
`;

test("a version's changes are listed above those of earlier versions, by severity", () => {
  const text = withVersion(TEXT, "0.2.0", "2026-12-01", [
    { type: "patch", summary: "Boards load." },
    { type: "minor", summary: "Boards are exported.\nAs CSV.\n" },
    { type: "patch", summary: "Runs end." },
  ]);
  expect(text).toBe(
    TEXT.replace(
      "## 0.1.0",
      `## 0.2.0 (2026-12-01)

### Added

- Boards are exported.
  As CSV.

### Fixed

- Boards load.
- Runs end.

## 0.1.0`,
    ),
  );
  expect(changesOf(text, "0.2.0")).toMatch(/^### Added[^]*- Runs end\.$/);
  expect(changesOf(text, "0.1.0")).toBe("### Added\n\n- Everything.");
});

test("the first version is added below the introduction", () => {
  const text = withVersion("# Changelog\n\n", "0.1.0", "2026-11-01", [{ type: "minor", summary: "Everything." }]);
  expect(text).toBe("# Changelog\n\n## 0.1.0 (2026-11-01)\n\n### Added\n\n- Everything.\n\n");
});

test("a version without a description is refused", () => {
  expect(() => changesOf(TEXT, "0.1")).toThrow('CHANGELOG.md says nothing below "## 0.1"');
  expect(() => changesOf("## 0.2.0\n\n## 0.1.0\n\nEverything.\n", "0.2.0")).toThrow("says nothing");
});
