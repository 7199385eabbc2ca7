/** Page with the commands that link the popcorn client to an account. */
import type { SignedVisit } from "@kernelbot/web";
import { button, html, page } from "@kernelbot/web/blocks";

/** Renders the page. `token` is a newly created token, shown only once; `server` is the base URL of this server. */
export function popcornPage({
  visit,
  server,
  token,
}: {
  visit: SignedVisit;
  server: string;
  token?: string;
}): Promise<string> {
  return page({
    title: "Link the popcorn client",
    guide: "/docs/guides/use-the-popcorn-client",
    visit,
    body: html`
      <h1>Link the popcorn client</h1>
      ${
        token === undefined
          ? html`<p>
                The popcorn client can submit and read as <strong>${visit.viewer.name}</strong> with a token. You can
                revoke it in <a href="/account#tokens">your account</a>.
              </p>
              ${button("/link-popcorn", "Create token")}`
          : html`<p>Run this in the terminal in which you use the client. The token is shown only once:</p>
              <section class="created" role="status">
                <pre tabindex="0"><code>export POPCORN_API_URL=${server}
echo 'cli_id: ${token}' > ~/.popcorn.yaml</code></pre>
              </section>`
      }
    `,
  });
}
