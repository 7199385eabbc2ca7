/** Pages of a launch from a learning platform: a link out of the platform's frame, and the choice of the account. */
import { html, type Html, page, problemNotice, type Visit } from "@kernelbot/web/blocks";
import { MAX_NAME } from "@kernelbot/core";

/** Renders the content of a platform's frame, in which browsers send no cookies. */
export function launchFramePage({ path, visit }: { path: string; visit: Visit }): Promise<string> {
  return page({
    title: "Open the course",
    visit,
    body: html`
      <h1>Open the course</h1>
      <p>Browsers do not keep you signed in inside another site, so the course opens in a window of its own.</p>
      <p><a class="button" href="${path}" target="_blank" rel="noopener">Open the course in a new window</a></p>
    `,
  });
}

/** Message that closes the frame (LTI Dynamic Registration 1.0). */
const CLOSE = "org.imsglobal.lti.close";

/** Renders what the administrator of a platform sees after the platform has registered this server. */
export function registeredPage({
  visit,
  platform,
  hasDeployment,
}: {
  visit: Visit;
  /** Name of the platform. */
  platform: string;
  /** Whether the platform sent the ID of a deployment. */
  hasDeployment: boolean;
}): Promise<string> {
  return page({
    title: "Registered",
    visit,
    islands: ["frame"],
    body: html`
      <h1>Registered</h1>
      <p>This server and ${platform} know each other now. Activate the tool in ${platform}, if it is not active yet.</p>
      ${
        hasDeployment
          ? null
          : html`<p>
              ${platform} sent no deployment ID. Send the one that it shows for the installed tool to the administrator
              of this server, who adds it on the page <em>Learning platforms</em>.
            </p>`
      }
      <button type="button" class="needs-script" data-close-message="${CLOSE}">Close</button>
    `,
  });
}

export interface LaunchPage {
  path: string;
  platform: string;
  competition: { name: string; title: string };
  /** Name of the user at the platform; empty if it sends none. */
  userName: string;
  /** Account of the user; null before the first launch. */
  account: { name: string } | null;
  /** Whether the account that is signed in may become the user's account. */
  mayLink: boolean;
  /** Name as typed, if it was rejected. The name at the platform is not proposed: leaderboards show the chosen one. */
  name: string;
  problem?: string | undefined;
  visit: Visit;
}

/** Renders the choice of the account with which a user of a platform continues to a course. */
export function launchPage(shown: LaunchPage): Promise<string> {
  const { platform, competition, userName, account, path, problem, visit } = shown;
  return page({
    title: competition.title,
    visit,
    body: html`
      <h1>${competition.title}</h1>
      <p>
        ${platform} identified you${userName === "" ? null : html` as <strong>${userName}</strong>`}. Continue only if
        you opened this course there yourself.
      </p>
      ${problemNotice(problem)}
      ${
        account === null
          ? html`${linkForm(shown)} ${nameForm(shown)}`
          : html`<form method="post" action="${path}" class="buttons">
              <button>Continue as ${account.name}</button>
            </form>`
      }
    `,
  });
}

function linkForm({ path, mayLink, platform, visit }: LaunchPage): Html | null {
  if (visit.viewer === null) return null;
  if (!mayLink) {
    return html`<p class="notice">
      To continue as <strong>${visit.viewer.name}</strong> instead, ask your teacher to let the activity open in a new
      window, and open it again.
    </p>`;
  }
  return html`<form method="post" action="${path}" class="buttons">
      <button>Continue as ${visit.viewer.name}</button>
    </form>
    <p><small>From then on, ${platform} signs you in to this account.</small></p>
    <h2>Or create another account</h2>`;
}

function nameForm({ path, name, platform, visit }: LaunchPage): Html {
  return html`<form method="post" action="${path}" class="stack">
      <label for="name">Choose a name, which the leaderboards show</label>
      <input id="name" name="name" required maxlength="${MAX_NAME}" value="${name}" autocomplete="nickname" />
      <div><button>Create account and continue</button></div>
      <small
        >You sign in to it by opening the course in ${platform}. You can link another sign-in method on your account
        page.</small
      >
    </form>
    ${
      visit.viewer === null
        ? html`<p>
            If you have an account here, <a href="/sign-in" target="_blank" rel="noopener">sign in</a> first, and open
            the activity in ${platform} again.
          </p>`
        : null
    }`;
}
