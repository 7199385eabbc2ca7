/**
 * Whether this Node.js cannot run our sources, which it then says in one sentence. Plain JavaScript that an old one reads,
 * too: executables ask it before they load anything else.
 */

/** The first version that runs TypeScript as it is; the same as `engines` in package.json. */
const NEEDED = [22, 18];

/**
 * @param {string} program Its name, for the sentence.
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
