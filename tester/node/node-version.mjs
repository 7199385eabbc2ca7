/**
 * Checks the version of Node.js before an executable loads anything else. Plain JavaScript, so that old versions can
 * parse it.
 */
/* global BUNDLE_OLDEST_NODE */

/**
 * First version that runs TypeScript sources directly, equal to `engines` in package.json; in bundles, their own.
 * @type {string}
 */
export const OLDEST_NODE = typeof BUNDLE_OLDEST_NODE === "undefined" ? "22.18" : BUNDLE_OLDEST_NODE;

/**
 * Returns whether a version of Node.js is new enough.
 * @param {string} version
 * @returns {boolean}
 */
export function isNewEnough(version) {
  const [[major, minor], [oldestMajor, oldestMinor]] = [version, OLDEST_NODE].map((text) =>
    text.split(".").map(Number),
  );
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * Returns whether this Node.js is too old, and if so prints an error.
 * @param {string} program Name of the program, for the error message.
 * @returns {boolean}
 */
export function isNodeTooOld(program) {
  if (isNewEnough(process.versions.node)) return false;
  console.error(
    `${program} needs Node.js ${OLDEST_NODE} or newer, and ${process.execPath} is ${process.versions.node}: ` +
      "install a newer one, or put it first in PATH.",
  );
  return true;
}
