/**
 * The import rules, which dependency-cruiser checks as part of `npm run check`. Each area may import its own files and the
 * areas in its row; tests may import any area. Where a new import is refused, first ask whether the code is in the right
 * area; extend the row only if data still flows one way.
 */

/** Packages, and which others each may import. packages/core and packages/server have tables of their own. */
const PACKAGES = {
  "packages/api": ["packages/core/"],
  "packages/web": ["packages/core/", "packages/api/"],
  "packages/dataset": ["packages/core/"],
  "packages/runner": ["packages/core/", "packages/api/", "tester/node/"],
  "packages/cli": ["packages/core/", "packages/api/", "packages/dataset/", "features/cli\\.ts$", "tester/node/"],
  "tester/node": ["packages/core/"],
};

/**
 * The folders of packages/core/src and the files beside them, from the lowest to the highest: each may import those above
 * it in this list, so that there is no circle. `vocabulary/` has the terms that the others share: states, targets,
 * intervals, and the specification of a problem.
 */
const CORE_LAYERS = [
  "errors.ts",
  "text/",
  "vocabulary/",
  "machine/",
  "run/",
  "terminal/",
  "score/",
  "queue/",
  "moderation/",
  "submission/",
  "problem/",
  "board/",
  "competition/",
  "account/",
  "runner/",
  "receipt/",
  "api.ts",
  "kernelbench/",
  "reward/",
  "evaluation/",
  "dataset/",
  "webhook/",
  "flashinfer-trace/",
  "index.ts",
];

/**
 * The folders of packages/server/src: the features, with what their domain code may import besides packages/core,
 * CHILD_ENVIRONMENT, PROXY and observe (logs, metrics, traces). Data flows submissions -> queue -> runs -> boards and not back. A test finds circles in the table.
 *
 * A feature's `routes/` (API endpoints and pages) and `feature.ts` (its manifest) may import the whole server except the
 * program; its domain code imports neither.
 */
export const SERVER_FOLDERS = {
  artifacts: ["auth", "compute", "db", "jobs"],
  auth: ["db"],
  boards: ["auth", "competitions", "db", "problems"],
  competitions: ["auth", "db"],
  // Worker threads for pure functions. Pages are rendered in them too.
  compute: ["packages/web/"],
  dataset: ["packages/dataset/", "artifacts", "auth", "competitions", "db", "jobs"],
  db: [],
  // Pages are rendered from Markdown once per process.
  docs: ["packages/web/"],
  downloads: ["tester/node/pinned-packages.mjs"],
  // prettier-ignore
  evaluations: ["artifacts", "auth", "db", "problems", "queue", "submissions"],
  http: ["packages/api/", "auth", "compute", "db", "packages/web/", "packages/server/src/services.ts"],
  jobs: ["db"],
  // prettier-ignore
  kernelbench: ["tester/node/suite-problem-files.ts", "auth", "competitions", "compute", "db", "jobs", "problems", "queue", "submissions"],
  live: ["auth", "db", "kernelbench", "queue", "submissions"],
  // prettier-ignore
  moderation: ["auth", "boards", "competitions", "compute", "db", "problems", "runs", "submissions"],
  observe: [],
  operations: ["artifacts", "auth", "db", "jobs", "runners", "runs", "submissions"],
  people: ["auth", "boards", "competitions", "db"],
  "personal-data": ["artifacts", "auth", "db", "moderation", "runs", "submissions"],
  // prettier-ignore
  problems: ["tester/node/competition-files.ts", "tester/node/problem-directory.ts", "tester/node/problem-tree.ts", "auth", "competitions", "db"],
  queue: ["auth", "competitions", "db", "runners", "runs"],
  runners: ["auth", "db"],
  runs: ["artifacts", "auth", "competitions", "db", "runners"],
  submissions: ["artifacts", "auth", "competitions", "db", "problems", "queue", "runs"],
  webhooks: ["auth", "boards", "competitions", "db", "jobs"],
};

/** The environment of child processes, which every folder of the server may import. */
const CHILD_ENVIRONMENT = "tester/node/child-environment.ts";
/** The proxy of outgoing connections, likewise. */
const PROXY = "packages/api/src/proxy.ts";
/** The version of the server. */
const MANIFEST = "packages/server/package.json";

const OURS = "^(bench|features|packages|problems|scripts|suites|tester|tests)/";
const TESTS = "\\.test\\.ts$";
/** Fixtures, fake services and example data: files that only tests, benchmarks and scripts import. */
const TEST_SUPPORT = [
  "^packages/testing/",
  "^features/([^/]+/testing/|showcase\\.ts$)",
  "^tester/node/fake-tester\\.mjs$",
  "^packages/server/tests/",
];
/** Tests without the name of a tier: they may need no database, no browser and no process of ours. */
const UNIT_TESTS = "(?<!\\.(checks|integration|smoke|browser|judge|durability|load))\\.test\\.ts$";
const TIER_SUPPORT = "^(packages/testing/src/(database|chromium|cli/kernelbot)|scripts/processes)\\.ts$";
/** The optional features without their fixtures. */
const FEATURES = "features/(?!([^/]+/testing/|showcase\\.ts$))";
const PRODUCT = `^(packages/(?!testing/)[^/]+/(src|bin)/|${FEATURES}|tester/node/)`;

/** The optional features that import others, as `needs` of their manifests says. */
export const NEEDS = { lti: ["courses"] };

/** The files of a feature that are neither routes nor its manifest. */
const DOMAIN = "(?!routes/|feature\\.ts$)";
/** Types of what the program opens and the routes use, of manifests, and of extension points. */
const PROGRAM_TYPES = "packages/server/src/(services|feature|feature-options|extensions|server-command)\\.ts";

/** Each area as a regular expression of its paths, with the paths that it may import. */
const AREAS = [
  ...Object.entries(PACKAGES).map(([area, others]) => [`^${area}/`, others]),
  ...CORE_LAYERS.map((layer, at) => [
    `^packages/core/src/${layer}`,
    CORE_LAYERS.slice(0, at).map((lower) => `packages/core/src/${lower}`),
  ]),
  ...Object.entries(SERVER_FOLDERS).map(([folder, others]) => [
    `^packages/server/src/${folder}/${DOMAIN}`,
    ["packages/core/", CHILD_ENVIRONMENT, PROXY, MANIFEST, "observe", ...others].map((other) =>
      other.includes("/") ? other : `packages/server/src/${other}/${DOMAIN}`,
    ),
  ]),
  // Routes, services outside of the server, and manifests: they call features, and only the program connects them.
  [
    "^packages/server/src/([^/]+/(routes/|feature\\.ts$)|integrations/)",
    [
      "packages/core/",
      "packages/api/",
      "packages/dataset/",
      "packages/web/",
      "packages/server/src/[^/]+/",
      CHILD_ENVIRONMENT,
      MANIFEST,
      PROGRAM_TYPES,
    ],
  ],
  // Optional features.
  [
    `^${FEATURES}`,
    ["packages/(core|api|dataset|web)/", "packages/(cli|server)/src/[^/]+/", "tester/node/", PROGRAM_TYPES],
  ],
  // The program.
  [
    "^packages/server/(bin/|src/[^/]+$)",
    [
      "packages/core/",
      "packages/api/",
      "packages/web/",
      "packages/server/src/",
      "features/(index|serve-options|server-cli)\\.ts$",
      "tester/node/node-version.mjs",
    ],
  ],
];

export default {
  forbidden: [
    ...AREAS.map(([area, others]) => ({
      name: area.replace(/^\^/, ""),
      comment: `may import its own files and ${others.join(", ") || "no other area"}`,
      severity: "error",
      from: { path: area, pathNot: TESTS },
      to: { path: OURS, pathNot: [area, ...others.map((other) => `^${other}`)] },
    })),
    {
      name: "area-without-rules",
      comment: "give the folder a row in .dependency-cruiser.js",
      severity: "error",
      from: { path: PRODUCT, pathNot: [TESTS, ...AREAS.map(([area]) => area)] },
      to: {},
    },
    {
      name: "optional-features-in-their-lists",
      comment: "the platform imports the lists of the optional features only, where it folds over them",
      severity: "error",
      from: {
        path: "^packages/",
        pathNot: [
          TESTS,
          "^packages/(server/src/(config|features|options)|cli/src/commands|testing/src/showcase/(showcase|pages))\\.ts$",
        ],
      },
      to: { path: "^features/" },
    },
    {
      name: "no-server-in-the-cli",
      comment: "the command line contains no code of the server or the site: import only cli.ts of a feature",
      severity: "error",
      from: { path: "^features/cli\\.ts$" },
      to: { path: "^packages/(server|web)/", reachable: true },
    },
    {
      name: "no-optional-feature-in-another",
      comment: "an optional feature can be deleted: what two of them need belongs to the platform",
      severity: "error",
      from: { path: "^features/([^/]+)/", pathNot: Object.keys(NEEDS).map((name) => `^features/${name}/`) },
      to: { path: "^features/", pathNot: "^features/$1/" },
    },
    ...Object.entries(NEEDS).map(([name, needs]) => ({
      name: `needs-of-${name}`,
      comment: `may import the optional features that its manifest needs: ${needs.join(", ")}`,
      severity: "error",
      from: { path: `^features/${name}/` },
      to: { path: "^features/", pathNot: [name, ...needs].map((each) => `^features/${each}/`) },
    })),
    {
      name: "light-start-of-the-cli",
      comment:
        "these files run at the start of every command: import packages/core by @kernelbot/core/terminal, without schemas",
      severity: "error",
      from: {
        path: [
          "^packages/cli/src/((cli|commands|help|version|command/(exit|features|group))\\.ts$|output/)",
          "^features/cli\\.ts$",
          "^features/[^/]+/cli\\.ts$",
        ],
        pathNot: TESTS,
      },
      to: { path: "^packages/core/src/index\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "no-io-in-core",
      comment: "packages/core has no I/O and runs in a browser: it may not import modules of Node.js",
      severity: "error",
      from: { path: "^packages/core/", pathNot: TESTS },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "no-test-support-in-product",
      comment: "fixtures, fakes and tests may be imported by tests only",
      severity: "error",
      from: { path: PRODUCT, pathNot: [TESTS, ...TEST_SUPPORT] },
      to: { path: [TESTS, ...TEST_SUPPORT] },
    },
    {
      name: "unit-tests-need-nothing",
      comment:
        "name the test after the tier that provides what it needs: NAME.integration.test.ts, NAME.browser.test.ts",
      severity: "error",
      from: { path: UNIT_TESTS },
      to: { path: TIER_SUPPORT, reachable: true },
    },
    {
      name: "browser-tests-are-slow",
      comment: "name a test with a browser NAME.browser.test.ts, or make it part of the smoke test",
      severity: "error",
      from: { path: "\\.(integration|durability|load)\\.test\\.ts$" },
      to: { path: "^packages/testing/src/chromium\\.ts$", reachable: true },
    },
    {
      name: "no-undeclared-package",
      comment: "declare the package in the dependencies of the package.json beside the importing file",
      severity: "error",
      from: { path: PRODUCT, pathNot: [TESTS, ...TEST_SUPPORT] },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "no-circular",
      comment: "move what both files need to the file that it belongs to, or to one of its own",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      comment: "the import leads to no file and no installed package",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    moduleSystems: ["es6"],
    skipAnalysisNotInRules: true,
    // Imports of types count: they disappear when the types are stripped, but readers follow them.
    tsPreCompilationDeps: true,
    // A package of the workspace has its dependencies in its own package.json.
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
