/**
 * Checks the version of Node.js before an executable loads anything else. Plain JavaScript, so that old versions can
 * parse it.
 */

/** First version that runs TypeScript sources directly; equal to `engines` in package.json. */
const NEEDED = [22, 18];

/**
 * Returns whether this Node.js is too old, and if so prints an error.
 * @param {string} program Name of the program, for the error message.
 * @returns {boolean}
 */
export function isNodeTooOld(program) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return false;
  console.error(
    `${program} needs Node.js ${NEEDED.join(".")} or newer, and ${process.execPath} is ${process.versions.node}: ` +
      "install a newer one, or put it first in PATH.",
  );
  return true;
}
