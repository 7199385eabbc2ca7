/**
 * Fake learning platform (LTI 1.3 with grades, members, deep linking and dynamic registration): launches as Moodle's auto-submitted forms, tokens for signed assertions,
 * grade columns with queries in their addresses and lists in pages, and scores that must be newer by the second.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import type { FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import type { Activity, FakePlatform, PlatformUser, ReceivedScore } from "./fake-platform-types.ts";

export type * from "./fake-platform-types.ts";

const CLAIM = "https://purl.imsglobal.org/spec/lti/claim";
const MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership";
const DEEP_LINK = "https://purl.imsglobal.org/spec/lti-dl/claim";
const AGS = "https://purl.imsglobal.org/spec/lti-ags";
const TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration";
const NRPS = "https://purl.imsglobal.org/spec/lti-nrps";
const CLIENT = "tool-client";
const DEPLOYMENT = "1";
const MEMBERS = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json";
/** Rows in a page of a list. */
const PAGE = 2;

interface ContentItem {
  type: string;
  custom: Record<string, string>;
  lineItem?: Record<string, unknown>;
}

export async function startFakePlatform(): Promise<FakePlatform> {
  const key = await generateKeyPair("RS256");
  const foreign = await generateKeyPair("RS256");
  const valid = new Map<string, string>();
  const assertions = new Set<unknown>();
  let opened: { user: PlatformUser; activity: Activity; settings?: Record<string, unknown> } | undefined;

  const server = createServer((request, response) => {
    void route(request, response).catch((error: unknown) => respond(response, 500, { error: String(error) }));
  });

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    if (pathname === "/jwks") {
      return respond(response, 200, { keys: [{ ...(await exportJWK(key.publicKey)), alg: "RS256", kid: "platform" }] });
    }
    if (pathname === "/favicon.ico") return void response.writeHead(204).end();
    if (pathname === "/auth") return authorize(response, searchParams);
    if (pathname === "/openid-configuration") {
      return respond(response, 200, { ...fake.configuration(), ...fake.wrong });
    }
    if (fake.failing !== 0) {
      response.writeHead(fake.failing, { "content-type": "text/html" }).end("<h1>Maintenance</h1>");
      return;
    }
    const body = await text(request);
    if (pathname === "/token") return token(response, new URLSearchParams(body));
    if (pathname === "/course") return frame(response, searchParams.get("src") ?? "");
    if (pathname === "/deep-link-return") return receive(request, response, new URLSearchParams(body));
    if (pathname === "/register") return register(request, response, body);
    return service(request, response, { pathname, searchParams, body });
  }

  /** The user is signed in: the response is a form that the browser posts at once. */
  async function authorize(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const expected = { scope: "openid", response_type: "id_token", response_mode: "form_post", prompt: "none" };
    for (const [name, value] of Object.entries({ ...expected, client_id: CLIENT, login_hint: opened?.user.id ?? "" })) {
      if (query.get(name) !== value) return respond(response, 400, { error: "invalid_request", name });
    }
    const fields = { id_token: await idToken(query), state: query.get("state") ?? "" };
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    );
    response.setHeader("content-type", "text/html");
    const form = `<form method="post" action="${query.get("redirect_uri") ?? ""}">${inputs.join("")}</form>`;
    response.end(`${form}<script>document.forms[0].submit()</script>`);
  }

  function idToken(query: URLSearchParams): Promise<string> {
    const { user, activity, settings } = opened ?? { user: { id: "" }, activity: { id: "" } };
    const now = Math.floor(Date.now() / 1000);
    const { id, name, email, emailVerified, role = "Learner" }: PlatformUser = user;
    const claims: Record<string, unknown> = {
      ...{ iss: url, aud: CLIENT, iat: now, exp: now + 60, nonce: query.get("nonce"), sub: id },
      // Some platforms send null for what they do not know.
      ...{ name: name ?? null, given_name: null, email: email ?? null, email_verified: emailVerified ?? null },
      [`${CLAIM}/message_type`]: settings === undefined ? "LtiResourceLinkRequest" : "LtiDeepLinkingRequest",
      [`${CLAIM}/version`]: "1.3.0",
      [`${CLAIM}/deployment_id`]: DEPLOYMENT,
      [`${CLAIM}/target_link_uri`]: `${query.get("redirect_uri") ?? ""}${activity.query ?? ""}`,
      [`${CLAIM}/roles`]: [`${MEMBERSHIP}#${role}`],
      ...(settings === undefined
        ? { [`${CLAIM}/resource_link`]: { id: activity.id, title: "Activity" } }
        : { [`${DEEP_LINK}/deep_linking_settings`]: settings }),
      [`${CLAIM}/context`]: { id: "course-7", label: "GPU", title: "GPU programming" },
      [`${CLAIM}/custom`]:
        activity.custom === undefined ? null : Object.fromEntries(new URLSearchParams(activity.custom)),
      [`${AGS}/claim/endpoint`]: {
        scope: fake.scopes,
        lineitems: `${url}/7/lineitems?type_id=1`,
        lineitem: activity.graded === true ? columnAddress(activity.id) : null,
      },
      [`${NRPS}/claim/namesroleservice`]: { context_memberships_url: `${url}/7/members`, service_versions: ["2.0"] },
      ...fake.wrong,
    };
    const { privateKey } = fake.forged ? foreign : key;
    return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "platform", typ: "JWT" }).sign(privateKey);
  }

  /** A page of a course with the tool in a frame, as Moodle and Canvas show it for the selection of content. */
  function frame(response: ServerResponse, src: string): void {
    response.setHeader("content-type", "text/html");
    const escaped = src.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    response.end(`<h1>Course</h1><iframe src="${escaped}" width="900" height="600"></iframe>`);
  }

  /** Receives what a user has chosen, and adds the activity. */
  async function receive(request: IncomingMessage, response: ServerResponse, form: URLSearchParams): Promise<void> {
    if (!request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded"))
      return respond(response, 415, {});
    const checks = { issuer: CLIENT, audience: url, algorithms: ["RS256"], requiredClaims: ["iat", "exp", "nonce"] };
    const keys = createLocalJWKSet(await fake.toolKeys());
    const { payload } = await jwtVerify(form.get("JWT") ?? "", keys, checks);
    const expected = {
      ...{ message_type: "LtiDeepLinkingResponse", version: "1.3.0", deployment_id: DEPLOYMENT },
    };
    const wrong = Object.entries(expected).find(([name, value]) => payload[`${CLAIM}/${name}`] !== value);
    const isEchoed = payload[`${DEEP_LINK}/data`] === opened?.settings?.["data"];
    if (wrong !== undefined || !isEchoed) return respond(response, 400, { error: wrong?.[0] ?? "data" });
    for (const item of payload[`${DEEP_LINK}/content_items`] as ContentItem[]) {
      const id = `added-${fake.added.length + 1}`;
      if (item.type !== "ltiResourceLink") return respond(response, 400, { error: item.type });
      fake.added.push({ id, custom: new URLSearchParams(item.custom).toString(), graded: item.lineItem !== undefined });
      if (item.lineItem !== undefined) fake.columns.set(columnAddress(id), { ...item.lineItem, id: columnAddress(id) });
    }
    response.setHeader("content-type", "text/html");
    response.end(`<p>Activities added: ${fake.added.length}</p>`);
  }

  /** Registers a tool, as Moodle does, whose response contains the deployment. */
  function register(request: IncomingMessage, response: ServerResponse, body: string): void {
    if (request.headers.authorization !== "Bearer registration") return respond(response, 401, { error: "token" });
    if (request.headers["content-type"] !== "application/json") return respond(response, 415, { error: "type" });
    const tool = JSON.parse(body) as Record<string, unknown>;
    fake.registered.push(tool);
    const configuration = { ...(tool[TOOL] as object), deployment_id: DEPLOYMENT };
    respond(response, 200, { ...tool, client_id: CLIENT, [TOOL]: configuration, ...fake.wrong });
  }

  /** Client-credentials grant with a signed assertion (RFC 7523). */
  async function token(response: ServerResponse, form: URLSearchParams): Promise<void> {
    const assertion = form.get("client_assertion") ?? "";
    const checks = { issuer: CLIENT, subject: CLIENT, audience: `${url}/token`, algorithms: ["RS256"] };
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(await fake.toolKeys()), checks);
    const scope = form.get("scope") ?? "";
    const isGranted = scope.split(" ").every((each) => fake.scopes.includes(each));
    if (form.get("grant_type") !== "client_credentials" || assertions.has(payload.jti) || !isGranted) {
      return respond(response, 400, { error: "invalid_scope" });
    }
    assertions.add(payload.jti);
    fake.tokens += 1;
    const access = `access-${fake.tokens}`;
    valid.set(access, scope);
    respond(response, 200, { access_token: access, token_type: "Bearer", expires_in: 3600, scope });
  }

  function service(
    request: IncomingMessage,
    response: ServerResponse,
    { pathname, searchParams, body }: { pathname: string; searchParams: URLSearchParams; body: string },
  ): void {
    const granted = valid.get((request.headers.authorization ?? "").replace("Bearer ", ""));
    if (granted === undefined) {
      return respond(response, 401, { errors: "unauthorized" }, { "www-authenticate": 'Bearer realm="lti"' });
    }
    if (request.headers["user-agent"] === undefined) return respond(response, 403, { errors: "no user agent" });
    const may = (scope: string) => granted.split(" ").includes(scope);
    const type = request.headers["content-type"];
    if (pathname === "/7/members" && may(`${NRPS}/scope/contextmembership.readonly`)) {
      if (request.headers.accept !== MEMBERS) return respond(response, 406, { error: "media type" });
      const { page, link } = pageOf(fake.members, `/7/members`, searchParams);
      return respond(
        response,
        200,
        { id: `${url}/7/members`, context: { id: "course-7" }, members: page },
        {
          ...link,
          "content-type": MEMBERS,
        },
      );
    }
    if (pathname === "/7/lineitems" && may(`${AGS}/scope/lineitem`)) {
      if (request.method === "GET") return list(response, searchParams);
      if (type !== "application/vnd.ims.lis.v2.lineitem+json") return respond(response, 415, { error: type });
      const id = columnAddress(String(fake.columns.size + 1));
      const column = { ...(JSON.parse(body) as Record<string, unknown>), id };
      fake.columns.set(id, column);
      return respond(response, 201, column);
    }
    if (pathname.endsWith("/lineitem/scores") && may(`${AGS}/scope/score`)) {
      const column = `${url}${pathname.replace(/\/scores$/, "")}?${searchParams.toString()}`;
      if (!fake.columns.has(column)) return respond(response, 404, { error: "no such column" });
      if (type !== "application/vnd.ims.lis.v1.score+json") return respond(response, 415, { error: type });
      return accept(response, { ...(JSON.parse(body) as Omit<ReceivedScore, "column">), column });
    }
    respond(response, 403, { error: "insufficient_scope" });
  }

  /** A page of a list, and the header that names the next one among other links. */
  function pageOf<T>(all: readonly T[], path: string, query: URLSearchParams) {
    const from = Number(query.get("from") ?? 0);
    const next = new URL(`${url}${path}?${query.toString()}`);
    next.searchParams.set("from", String(from + PAGE));
    const link = `<${url}${path}>; rel="first", <${next.href}>; rel="next"`;
    return { page: all.slice(from, from + PAGE), link: from + PAGE < all.length ? { link } : {} };
  }

  function list(response: ServerResponse, query: URLSearchParams): void {
    const resource = query.get("resource_id");
    const all = [...fake.columns.values()].filter(({ resourceId }) => resource === null || resourceId === resource);
    const { page, link } = pageOf(all, "/7/lineitems", query);
    respond(response, 200, page, link);
  }

  function accept(response: ServerResponse, score: ReceivedScore): void {
    const second = ({ timestamp }: ReceivedScore) => Math.floor(Date.parse(timestamp) / 1000);
    if (!fake.users.some(({ id }) => id === score.userId)) return respond(response, 400, { error: "Incorrect score" });
    const last = fake.scores.findLast(({ column, userId }) => column === score.column && userId === score.userId);
    if (last !== undefined && second(last) >= second(score)) {
      return respond(response, 409, { error: "Refusing score with an earlier timestamp" });
    }
    fake.scores.push(score);
    respond(response, 200, {});
  }

  function columnAddress(id: string): string {
    return `${url}/7/lineitems/${id}/lineitem?type_id=1`;
  }

  function loginOf(user: PlatformUser, hint: string): Record<string, string> {
    const fields = { iss: url, login_hint: user.id, target_link_uri: "http://tool", lti_message_hint: hint };
    return { ...fields, client_id: CLIENT, lti_deployment_id: DEPLOYMENT };
  }

  /** Sends a browser through the login. Returns the tool's response to the message. */
  async function begin(browser: FakeBrowser, login: Record<string, string>, headers: Record<string, string>) {
    const begun = await browser.post("/lti/login", login, { origin: url, ...headers });
    const location = begun.headers.get("location");
    if (location === null) return begun;
    const { action, fields: posted } = await fake.authenticate(location);
    return browser.post(new URL(action).pathname, posted, { origin: url, ...headers });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakePlatform = {
    url,
    registration: {
      ...{ name: "Moodle", issuer: url, clientId: CLIENT, deployments: [DEPLOYMENT] },
      ...{ authorizeUrl: `${url}/auth`, tokenUrl: `${url}/token`, jwksUrl: `${url}/jwks` },
    },
    toolKeys: () => Promise.reject(new Error("set toolKeys")),
    users: [],
    scopes: [`${AGS}/scope/lineitem`, `${AGS}/scope/score`, `${NRPS}/scope/contextmembership.readonly`],
    ...{ registered: [], added: [], members: [] },
    configuration: () => ({
      ...{
        issuer: url,
        authorization_endpoint: `${url}/auth`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
      },
      ...{ registration_endpoint: `${url}/register`, token_endpoint_auth_methods_supported: ["private_key_jwt"] },
      ...{ scopes_supported: fake.scopes, id_token_signing_alg_values_supported: ["RS256"] },
      "https://purl.imsglobal.org/spec/lti-platform-configuration": { product_family_code: "moodle", version: "4.5" },
    }),
    ...{ wrong: {}, forged: false, failing: 0, columns: new Map(), scores: [], tokens: 0 },
    expireTokens: () => valid.clear(),
    addActivity(user, settings = {}) {
      opened = {
        ...{ user, activity: { id: "" } },
        settings: {
          ...{ deep_link_return_url: `${url}/deep-link-return?id=7`, data: 'opaque "value"', accept_multiple: true },
          ...{ accept_types: ["link", "ltiResourceLink"], accept_lineitem: true },
          accept_presentation_document_targets: ["frame", "iframe", "window"],
          ...settings,
        },
      };
      return loginOf(user, "selection");
    },
    deepLink(browser, user, settings, headers = {}) {
      return begin(browser, fake.addActivity(user, settings), headers);
    },
    launch(browser, user, activity, headers = {}) {
      opened = { user, activity };
      if (!fake.users.some(({ id }) => id === user.id)) fake.users.push(user);
      const column = columnAddress(activity.id);
      if (activity.graded && !fake.columns.has(column)) fake.columns.set(column, { id: column });
      return begin(browser, loginOf(user, activity.id), headers);
    },
    async authenticate(location) {
      const form = await (await fetch(location)).text();
      const fields = new URLSearchParams();
      for (const [, name = "", value = ""] of form.matchAll(/name="([^"]*)" value="([^"]*)"/g)) fields.set(name, value);
      return { action: /action="([^"]*)"/.exec(form)?.[1] ?? "", fields };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function respond(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
