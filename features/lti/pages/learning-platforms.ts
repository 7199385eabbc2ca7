/** Admin page of the learning platforms at which this server is registered. */
import {
  adminPage,
  hiddenFields,
  hiddenHeading,
  html,
  type Html,
  moment,
  type Outcome,
  type SignedVisit,
  table,
} from "@kernelbot/web/blocks";
import type { LtiAddresses, LtiPlatform, LtiRegistrationLink } from "../messages.ts";

/** A platform as typed into the form. */
export type PlatformFields = Record<keyof typeof FIELDS, string>;

/** Labels of the fields of a platform, with an example. */
const FIELDS = {
  name: ["Name for pages and lists", "Moodle"],
  issuer: ["Platform ID (issuer)", "https://moodle.example.edu"],
  clientId: ["Client ID", "kRx2vT9mQ4"],
  deployments: ["Deployment IDs, separated by commas", "1"],
  authorizeUrl: ["Authentication request URL", "https://moodle.example.edu/mod/lti/auth.php"],
  tokenUrl: ["Access token URL", "https://moodle.example.edu/mod/lti/token.php"],
  jwksUrl: ["Public keyset URL", "https://moodle.example.edu/mod/lti/certs.php"],
} as const;

interface LearningPlatformsPage {
  visit: SignedVisit;
  addresses: LtiAddresses;
  platforms: readonly LtiPlatform[];
  /** A registration link that was just created, with its secret. */
  created?: LtiRegistrationLink | undefined;
  /** Values of the form: those of a platform to change, or as typed. */
  values?: Partial<PlatformFields> | undefined;
  outcome: Outcome;
}

export function learningPlatformsPage(shown: LearningPlatformsPage): Promise<string> {
  const { visit, addresses, platforms, created, values, outcome } = shown;
  return adminPage({
    visit,
    guide: "/docs/guides/connect-a-course-to-moodle-or-canvas",
    title: "Learning platforms",
    outcome,
    body: html`${created === undefined ? null : newLink(created)}
      <p>
        Students open <a href="/docs/guides/run-a-course">courses</a> from Moodle, Canvas and other platforms with LTI
        1.3, which receive their grades.
        <a href="/docs/guides/connect-a-course-to-moodle-or-canvas">Moodle and Canvas, step by step</a>
      </p>
      ${platformTable(platforms)} ${registration()} ${addressTable(addresses)} ${platformForm(values)}`,
  });
}

function newLink({ url, host, expiresAt }: LtiRegistrationLink): Html {
  return html`<section class="created" role="status" aria-label="Registration link">
    <p>
      <strong>This link registers the platform at ${host}</strong>. It can be used once, until ${moment(expiresAt)}, and
      is shown only now. The administrator of the platform enters it as the tool (registration) URL:
    </p>
    <pre><code id="registration-link">${url}</code></pre>
    <button type="button" class="quiet needs-script" data-copy="registration-link">Copy</button>
  </section>`;
}

function platformTable(platforms: readonly LtiPlatform[]): Html {
  if (platforms.length === 0) return html`<p class="empty">No learning platform is registered.</p>`;
  return table({
    className: "stacked-rows",
    columns: ["Platform", "Client", "Deployments", "Registered", hiddenHeading("Change")],
    rows: platforms.map(
      ({ id, name, issuer, clientId, deployments, createdAt }) =>
        html`<tr>
          <th scope="row">${name}<br /><small>${issuer}</small></th>
          <td>client ${clientId}</td>
          <td>
            ${
              deployments.length === 0
                ? html`<strong>none: change the platform, and enter its deployment ID</strong>`
                : `deployment ${deployments.join(", ")}`
            }
          </td>
          <td>registered ${moment(createdAt)}</td>
          <td>
            <a href="/admin/learning-platforms?change=${id}#platform"
              >Change<span class="visually-hidden"> ${name}</span></a
            >
            <details>
              <summary>Remove<span class="visually-hidden"> ${name}</span></summary>
              <form method="post" action="/admin/learning-platforms/remove" class="stack">
                ${hiddenFields({ id: String(id) })}
                <p>Its links to courses are revoked, and grades are no longer sent. Accounts and members remain.</p>
                <div><button class="quiet">Remove the platform</button></div>
              </form>
            </details>
          </td>
        </tr>`,
    ),
  });
}

function registration(): Html {
  return html`<h2 id="registration">Register a platform by a link</h2>
    <p>Platforms with LTI Dynamic Registration, such as Moodle and Canvas, exchange all values themselves.</p>
    <form method="post" action="/admin/learning-platforms/registration" class="stack">
      <label for="registration-name">${FIELDS.name[0]}</label>
      <input id="registration-name" name="name" required maxlength="100" placeholder="Moodle" autocomplete="off" />
      <label for="address">Address of the platform</label>
      <input
        id="address"
        name="address"
        type="url"
        required
        maxlength="1000"
        placeholder="https://moodle.example.edu"
        autocomplete="off"
      />
      <div><button>Create a registration link</button></div>
    </form>`;
}

function addressTable({ launchUrl, deepLinkingUrl, loginUrl, jwksUrl }: LtiAddresses): Html {
  const row = (id: string, name: string, url: string): Html =>
    html`<tr>
      <th scope="row">${name}</th>
      <td><code id="${id}">${url}</code></td>
      <td><button type="button" class="quiet needs-script" data-copy="${id}">Copy</button></td>
    </tr>`;
  return html`<h2 id="addresses">Addresses of this server</h2>
    <p>Where a platform has no registration by a link, its administrator enters them.</p>
    ${table({
      className: "stacked-rows",
      labelledBy: "addresses",
      columns: ["Field", "Value", hiddenHeading("Copy")],
      rows: [
        row("launch-url", "Tool URL, redirection URI", launchUrl),
        row("deep-linking-url", "Content selection URL (Deep Linking)", deepLinkingUrl),
        row("login-url", "Initiate login URL", loginUrl),
        row("jwks-url", "Public keyset URL", jwksUrl),
      ],
    })}`;
}

function platformForm(values: Partial<PlatformFields> = {}): Html {
  return html`<h2 id="platform">Enter the values of a platform</h2>
    <p>
      As the platform shows them after this server was added there. The same platform ID and client ID replace a
      platform.
    </p>
    <form method="post" action="/admin/learning-platforms" class="stack">
      ${Object.entries(FIELDS).map(
        ([field, [label, example]]) =>
          html`<label for="${field}">${label}</label>
            <input
              id="${field}"
              name="${field}"
              required
              maxlength="1000"
              value="${values[field as keyof PlatformFields] ?? ""}"
              placeholder="${example}"
              autocomplete="off"
            />`,
      )}
      <div><button>Save the platform</button></div>
    </form>`;
}
