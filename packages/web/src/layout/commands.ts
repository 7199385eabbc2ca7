/** Commands for a terminal. */
import { html, type Html } from "../html.ts";

/** URL of the instructions to install the command line. */
export const INSTALL_URL = "/docs/guides/use-the-command-line#install";

/** Renders commands that begin with the installation of `kernelbot` from this server and the sign-in. */
export function terminalCommands(server: string, commands: string): Html {
  return html`<pre
    tabindex="0"
    aria-label="Commands"
  ><code>curl -fsSL ${server}/install.sh | sh    # once: installs kernelbot
export KERNELBOT_SERVER=${server}
kernelbot login                   # once: signs this terminal in to your account
${commands}</code></pre>`;
}
