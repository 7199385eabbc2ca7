/**
 * A typed client of /api/v1. It needs nothing but `fetch`, so it serves terminals, scripts and browsers alike.
 *
 *     const client = createClient({ server: "http://127.0.0.1:8080", token });
 *     const { id } = await client.submit({ board: "vectoradd", targets: ["cpu"], mode: "test", fileName, source });
 *     for await (const { event } of client.events(id)) console.log(event.type);
 *
 * Every answer is parsed. What goes wrong is a KernelBotError: with the server's own sentence and code where it
 * answered, with code `unavailable` and its address where it did not.
 */
import type { z } from "zod";
import { ArtifactLink } from "./artifact.ts";
import {
  Account,
  AccountList,
  AuditLog,
  DEVICE_GRANT,
  DeviceCode,
  DeviceError,
  DeviceToken,
  NewToken,
  RoleList,
  WeightStanding,
  SignInLink,
  TokenList,
  type RoleChange,
  type WeightChange,
  type Scope,
  type SignInLinkRequest,
  type TokenRequest,
} from "./account.ts";
import { BoardList, ClosedProblem, ProblemDetail, ProblemList, SubmissionList } from "./api.ts";
import { Board } from "./board.ts";
import { BoardHistory } from "./board-history.ts";
import { ComparedSubmissions } from "./compare.ts";
import { SyncReport, type SyncRequest } from "./problem-sync.ts";
import { Team, TeamList } from "./team.ts";
import { Competition, CompetitionList, type CompetitionSpec } from "./competition.ts";
import {
  ANSWER_MS,
  connect,
  form,
  json,
  LARGE,
  NO_RETRY,
  query,
  type ClientOptions,
  type EventsOptions,
} from "./connection.ts";
import { datasetsClient } from "./dataset/client.ts";
import { ImportAnswer, type ImportBatch } from "./dataset/import.ts";
import { Anonymity, LicenceChoice, SubmissionConsent } from "./declaration.ts";
import { type AccountLimits, ProblemLimits } from "./limits.ts";
import { LogEvent } from "./events.ts";
import { Inspection } from "./inspection.ts";
import { InviteList, Invites, Joined, RevokedInvite, type InviteRequest } from "./invite.ts";
import { kernelbenchClient } from "./kernelbench/client.ts";
import { KeyList } from "./keys.ts";
import {
  BanStanding,
  Decision,
  DecisionList,
  ModerationQueue,
  QuarantineItem,
  RerunList,
  type AnswerRequest,
} from "./moderation.ts";
import { Person } from "./person.ts";
import { Launch, LauncherList } from "./launchers.ts";
import { Queue, WaitingRunList } from "./queue.ts";
import { JoinTokenList, RunnerDetail, RunnerList, type StandingChange } from "./runner-status.ts";
import { RunDetail, Submission, type SubmitRequest } from "./submission.ts";
import {
  CreatedWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  type NewWebhook,
} from "./webhook.ts";

export type Client = ReturnType<typeof createClient>;

/** Makes a client; opens no connection. */
export function createClient(options: ClientOptions) {
  const connection = connect(options);
  const { ask, follow, once, post, refused, send, shaped, stream } = connection;

  /** Yields a submission's events in order, each once, whatever happens to the connection; ends after the last one. */
  async function* events(id: number, options: EventsOptions = {}): AsyncGenerator<LogEvent, void> {
    let last = options.after ?? 0;
    for await (const { data } of follow(`/submissions/${id}/events`, options)) {
      const event = LogEvent.parse(JSON.parse(data));
      if (event.id <= last) continue;
      last = event.id;
      yield event;
      if (event.event.type === "submission_finished") return;
    }
  }

  return {
    /** Hands in a file. Sent twice with one key, it is one submission; without a key it gets a key of its own. */
    submit: (request: SubmitRequest, options: { idempotencyKey?: string | undefined } = {}) =>
      ask(Submission, "/submissions", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "idempotency-key": options.idempotencyKey ?? crypto.randomUUID(),
        },
        body: JSON.stringify(request),
      }),
    submission: (id: number) => ask(Submission, `/submissions/${id}`),
    /** One's own submissions, newest first. */
    submissions: async (options: { before?: number | undefined; limit?: number | undefined } = {}) =>
      (await ask(SubmissionList, `/submissions${query(options)}`)).submissions,
    source: async (id: number) => (await send(`/submissions/${id}/source`)).text(),
    cancel: (id: number) => ask(Submission, `/submissions/${id}/cancel`, { method: "POST" }),
    /** Takes one's own submission off its boards. */
    remove: (id: number) => ask(Submission, `/submissions/${id}`, { method: "DELETE" }),
    /** Tells moderators what is wrong with a run on a board. */
    report: (runId: number, reason: string) => send(`/runs/${runId}/report`, json({ reason })),
    /** What was decided about oneself and one's submissions, the newest first. */
    decisions: async () => (await ask(DecisionList, "/decisions")).decisions,
    appeal: (decision: number, text: string) => post(Decision, `/decisions/${decision}/appeal`, { text }),
    /** What moderators do; each with a public reason. */
    moderation: {
      remove: (id: number, reason: string) => post(Submission, `/submissions/${id}/remove`, { reason }),
      restore: (id: number, reason: string) => post(Submission, `/submissions/${id}/restore`, { reason }),
      ban: (account: string, reason: string) => post(BanStanding, "/moderation/ban", { account, reason }),
      /** Queue re-runs on fresh seeds; answer the numbers of the new runs. */
      rerun: async (id: number) => (await ask(RerunList, `/submissions/${id}/rerun`, { method: "POST" })).runs,
      rerunBoard: async (board: string, target: string, top: number | null, edition?: number) => {
        const path = `/boards/${encodeURIComponent(board)}/${encodeURIComponent(target)}/rerun`;
        return (await post(RerunList, path, { top, edition })).runs;
      },
      /** A run with its evidence: samples, review, and the sources that are most like its own. */
      inspect: (runId: number) => ask(Inspection, `/moderation/runs/${runId}`),
      queue: () => ask(ModerationQueue, "/moderation/queue"),
      /** Takes a ranked run that passed off its board until it is decided. */
      flag: (runId: number, reason: string) => post(QuarantineItem, `/runs/${runId}/flag`, { reason }),
      accept: (runId: number, reason: string) => post(Decision, `/runs/${runId}/accept`, { reason }),
      reject: (runId: number, reason: string) => post(Decision, `/runs/${runId}/reject`, { reason }),
      answer: (decision: number, answer: AnswerRequest) => post(Decision, `/decisions/${decision}/answer`, answer),
      unban: (account: string, reason: string) => post(BanStanding, "/moderation/unban", { account, reason }),
    },
    /** Two submissions side by side; the target may be left out where they have one in common. */
    compare: (a: number, b: number, target?: string) => {
      const query = new URLSearchParams({ a: String(a), b: String(b), ...(target !== undefined && { target }) });
      return ask(ComparedSubmissions, `/compare?${query}`);
    },
    /** One's own webhooks, and what they were told. */
    webhooks: {
      list: async () => (await ask(WebhookList, "/webhooks")).webhooks,
      create: (webhook: NewWebhook) => ask(CreatedWebhook, "/webhooks", json(webhook), NO_RETRY),
      pause: (id: number) => ask(Webhook, `/webhooks/${id}/pause`, { method: "POST" }),
      resume: (id: number) => ask(Webhook, `/webhooks/${id}/resume`, { method: "POST" }),
      test: (id: number) => ask(Webhook, `/webhooks/${id}/test`, { method: "POST" }),
      remove: async (id: number): Promise<void> => {
        await send(`/webhooks/${id}`, { method: "DELETE" });
      },
      /** The newest first. */
      deliveries: async (id: number, limit: number) =>
        (await ask(WebhookDeliveryList, `/webhooks/${id}/deliveries?limit=${limit}`)).deliveries,
      redeliver: (id: number, delivery: string) =>
        ask(WebhookDelivery, `/webhooks/${id}/deliveries/${encodeURIComponent(delivery)}/redeliver`, {
          method: "POST",
        }),
    },
    /** An address of an artifact for a browser, or whoever else has no token; it lives for 10 minutes unless told. */
    artifactLink: (runId: number, name: string, seconds?: number) =>
      post(ArtifactLink, `/runs/${runId}/artifacts/${encodeURIComponent(name)}/links`, { seconds }),
    /** The bytes of an artifact as they come. */
    artifact: (runId: number, name: string) => stream(`/runs/${runId}/artifacts/${encodeURIComponent(name)}`),
    run: (id: number) => ask(RunDetail, `/runs/${id}`),
    /** The receipt of a run as the server wrote it: who keeps it keeps the signed bytes. */
    receipt: async (runId: number) => (await send(`/runs/${runId}/receipt`)).text(),
    /** The public keys that the server signs receipts with, the newest first. */
    keys: async () => (await ask(KeyList, "/keys")).keys,
    events,
    /** With a competition, an unlisted one's too. */
    problems: async (competition?: string) => (await ask(ProblemList, `/problems${query({ competition })}`)).problems,
    problem: (name: string) => ask(ProblemDetail, `/problems/${encodeURIComponent(name)}`),
    /** How much may be submitted to its boards, and what is left to who asks. */
    limits: (board: string) => ask(ProblemLimits, `/problems/${encodeURIComponent(board)}/limits`),
    /** Raises limits for one account. For organisers. */
    raiseLimits: async (raised: z.input<typeof AccountLimits>): Promise<void> => {
      await send("/admin/limits", { ...json(raised), method: "PUT" });
    },
    /** Takes the problems of a tree of files, or says what that would change. For organisers. */
    syncProblems: (request: z.input<typeof SyncRequest>) => ask(SyncReport, "/problems/sync", json(request), LARGE),
    /** Takes no ranked submissions any more, and opens the seeds. For administrators. */
    closeProblem: (name: string) =>
      ask(ClosedProblem, `/problems/${encodeURIComponent(name)}/close`, { method: "POST" }),
    /** Who asks, and what it may do. */
    account: () => ask(Account, "/account"),
    /** Ends the token that asks. */
    signOut: async (): Promise<void> => {
      await send("/sign-out", { method: "POST" });
    },
    tokens: async () => (await ask(TokenList, "/tokens")).tokens,
    createToken: (request: z.input<typeof TokenRequest>) => ask(NewToken, "/tokens", json(request), NO_RETRY),
    revokeToken: async (id: number): Promise<void> => {
      await send(`/tokens/${id}/revoke`, { method: "POST" });
    },
    /** Begins a sign-in by a code that a person confirms in a browser. */
    askForDevice: (scopes: readonly Scope[]) =>
      ask(DeviceCode, "/device/code", form({ scope: scopes.join(" ") }), NO_RETRY),
    /** The token where the code was confirmed, else why there is none. */
    pollDevice: async (code: string): Promise<DeviceToken | DeviceError> => {
      const init = { ...form({ grant_type: DEVICE_GRANT, device_code: code }), signal: AbortSignal.timeout(ANSWER_MS) };
      const response = await once("/device/token", init);
      if (response.status !== 400 && !response.ok) throw await refused(response);
      return shaped(response.ok ? DeviceToken : DeviceError, "/device/token", response);
    },
    /** Imports rows of what ended elsewhere; sent again they change nothing. For administrators. */
    importBatch: (batch: ImportBatch) => ask(ImportAnswer, "/datasets/import", json(batch), { withinMs: 120_000 }),
    /** Accounts by their names; for administrators, as what follows. */
    accounts: async (options: { after?: string | undefined; limit?: number | undefined } = {}) =>
      (await ask(AccountList, `/admin/accounts${query(options)}`)).accounts,
    changeRoles: async (name: string, change: RoleChange) =>
      (await ask(RoleList, `/admin/accounts/${encodeURIComponent(name)}/roles`, json(change))).roles,
    changeWeight: (name: string, change: WeightChange) =>
      ask(WeightStanding, `/admin/accounts/${encodeURIComponent(name)}/weight`, json(change)),
    signInLink: (request: z.input<typeof SignInLinkRequest>) =>
      ask(SignInLink, "/admin/sign-in-links", json(request), NO_RETRY),
    /** What was done with the rights of a role, newest first. */
    audit: async (options: { before?: number | undefined; limit?: number | undefined } = {}) =>
      (await ask(AuditLog, `/admin/audit${query(options)}`)).entries,
    /** What others may know of a person. */
    person: (id: string) => ask(Person, `/accounts/${encodeURIComponent(id)}`),
    /** What waits and runs on each target, and who works it off. */
    queue: () => ask(Queue, "/queue"),
    /** What waits, by target; for administrators, as what follows. */
    waiting: async (limit: number) => (await ask(WaitingRunList, `/queue/runs?limit=${limit}`)).runs,
    launchers: () => ask(LauncherList, "/launchers"),
    /** Has a launch's service end it; what its runner does goes to others. */
    endLaunch: (name: string) => ask(Launch, `/launches/${encodeURIComponent(name)}/end`, { method: "POST" }),

    runners: async () => (await ask(RunnerList, "/runners")).runners,
    runner: (id: number) => ask(RunnerDetail, `/runners/${id}`),
    /** Pauses and drains with a reason; lets it work again without. */
    changeRunner: (id: number, change: StandingChange, reason?: string) =>
      ask(RunnerDetail, `/runners/${id}/${change}`, change === "resume" ? { method: "POST" } : json({ reason })),
    /** Ends the token that a runner joined with. */
    revokeRunner: async (id: number): Promise<void> => {
      await send(`/runners/${id}/revoke`, { method: "POST" });
    },
    /** What runners join with, whosever it is. */
    joinTokens: async () => (await ask(JoinTokenList, "/runner-tokens")).tokens,
    revokeJoinToken: async (id: number): Promise<void> => {
      await send(`/runner-tokens/${id}/revoke`, { method: "POST" });
    },
    boards: async (competition?: string) => (await ask(BoardList, `/boards${query({ competition })}`)).boards,
    /**
     * In the edition that it shows, unless a former one is named.
     * @param unfrozen With what a freeze hides: for moderators and the organisers of its competition.
     */
    board: (board: string, target: string, unfrozen = false, edition?: number) =>
      ask(
        Board,
        `/boards/${encodeURIComponent(board)}/${encodeURIComponent(target)}${query({ ...(unfrozen && { unfrozen }), edition })}`,
      ),
    /** The records of a board; with entrants (see `entrantOf`), what these have on it besides. */
    boardHistory: (board: string, target: string, entrants: readonly string[] = []) => {
      const asked = new URLSearchParams(entrants.map((entrant) => ["entrant", entrant]));
      const path = `/boards/${encodeURIComponent(board)}/${encodeURIComponent(target)}/history`;
      return ask(BoardHistory, asked.size === 0 ? path : `${path}?${asked.toString()}`);
    },
    competitions: async () => (await ask(CompetitionList, "/competitions")).competitions,
    competition: (name: string) => ask(Competition, `/competitions/${encodeURIComponent(name)}`),
    createCompetition: (spec: CompetitionSpec) => ask(Competition, "/competitions", json(spec), NO_RETRY),
    changeCompetition: (spec: CompetitionSpec) =>
      ask(Competition, `/competitions/${encodeURIComponent(spec.name)}`, { ...json(spec), method: "PUT" }),
    createInvites: (request: InviteRequest) => ask(Invites, "/invites", json(request), NO_RETRY),
    invites: async (competition: string) =>
      (await ask(InviteList, `/competitions/${encodeURIComponent(competition)}/invites`)).invites,
    revokeInvite: (code: string) => ask(RevokedInvite, "/invites/revoke", json({ code })),
    /** The teams of a competition; one's own with its code. */
    teams: async (competition: string) => (await ask(TeamList, teamsOf(competition))).teams,
    makeTeam: (competition: string, name: string) => ask(Team, teamsOf(competition), json({ name }), NO_RETRY),
    joinTeam: (competition: string, code: string) => post(Team, `${teamsOf(competition)}/join`, { code }),
    leaveTeam: (competition: string) => send(`${teamsOf(competition)}/leave`, { method: "POST" }, NO_RETRY),
    renameTeam: (competition: string, name: string) => post(Team, `${teamsOf(competition)}/rename`, { name }),
    /** For who organises it, and moderators. */
    removeFromTeam: (competition: string, account: string) =>
      send(`${teamsOf(competition)}/remove`, json({ account }), NO_RETRY),
    /** Joins the competitions of an invite code. */
    join: (code: string) => ask(Joined, "/invites/claim", json({ code })),
    /** The licence of one's new submissions. */
    licence: () => ask(LicenceChoice, "/account/licence"),
    chooseLicence: (choice: LicenceChoice) =>
      ask(LicenceChoice, "/account/licence", { ...json(choice), method: "PUT" }),
    /** Lets a submission of one's own be published, or withdraws that. */
    /** Whether published data names one, unless a submission says otherwise. */
    anonymity: () => ask(Anonymity, "/account/anonymity"),
    chooseAnonymity: (choice: Anonymity) => ask(Anonymity, "/account/anonymity", { ...json(choice), method: "PUT" }),
    /** How a submission of one's own may be published. */
    consent: (id: number) => ask(SubmissionConsent, `/submissions/${id}/licence`),
    licenseSubmission: (id: number, choice: SubmissionConsent) =>
      ask(Submission, `/submissions/${id}/licence`, { ...json(choice), method: "PUT" }),
    kernelbench: kernelbenchClient(connection),
    datasets: datasetsClient(connection),
  };
}

function teamsOf(competition: string): string {
  return `/competitions/${encodeURIComponent(competition)}/teams`;
}
