import type { Uploaded } from "../../wire/media.js";
import { LINK_MARK, PAGE_HEADER, PATHS } from "../../wire/names.js";
import type {
  BackupList,
  BackupView,
  DoctorReport,
  OwnSession,
  SessionList,
  SessionView,
  Setting,
  TokenList,
  TokenView,
} from "../../wire/owner-page.js";
import { forgetOverview } from "./kept.js";
import { answerIn, Refusal } from "./link.js";

/** What the page asks over HTTP: its session, and the way to switch off when there is no WebSocket. */

const HEADERS = { [PAGE_HEADER]: "1", "Content-Type": "application/json" };

const request = (method: string, path: string, body?: object): Promise<Response> =>
  fetched(path, { method, headers: HEADERS, cache: "no-store", ...(body && { body: JSON.stringify(body) }) });

/** Rejects with NO_LINK where nobody answers. */
const fetched = (path: string, how: RequestInit): Promise<Response> =>
  fetch(path, how).catch(() => {
    throw new Refusal("NO_LINK", "the runtime does not answer");
  });

/** The code of a link in the address, which is at once taken away from there and from the browser's history. */
export function takeCode(): string | undefined {
  const { hash, pathname } = location;
  if (!hash.startsWith(`#${LINK_MARK}`)) return undefined;
  history.replaceState(null, "", pathname);
  return hash.slice(LINK_MARK.length + 1);
}

/** Begins a session with the code of a link. Rejects with the runtime's words. */
export async function beginSession(code: string): Promise<OwnSession> {
  const answer = await request("POST", PATHS.session, { code });
  if (!answer.ok) return refused(answer);
  await forgetOverview(); // it may be of another person
  return (await answer.json()) as OwnSession;
}

/** This browser's session: undefined if it has none. Rejects if the runtime does not answer. */
export async function ownSession(): Promise<OwnSession | undefined> {
  const answer = await request("GET", PATHS.session);
  if (answer.ok) return (await answer.json()) as OwnSession;
  if (answer.status === 401) return undefined;
  throw new Error(answer.statusText);
}

export const leaveSession = async (): Promise<boolean> => (await request("DELETE", PATHS.session)).ok;

/** Of all browsers; for a person's session. Rejects with the runtime's words. */
export async function allSessions(): Promise<readonly SessionView[]> {
  return (await own<SessionList>("GET", PATHS.allSessions)).sessions;
}

export const endSession = (id: string): Promise<unknown> => own("DELETE", `${PATHS.allSessions}/${id}`);

/** The machine's backups. Rejects with the runtime's words, like the two below. */
export const backups = (): Promise<BackupList> => own("GET", PATHS.backups);

/** Takes as long as the program does: seconds to minutes. */
export const backUpNow = (): Promise<BackupView> => own("POST", PATHS.backups);

export async function fetchBackup(name: string): Promise<Blob> {
  const answer = await request("GET", `${PATHS.backups}/${encodeURIComponent(name)}`);
  return answer.ok ? answer.blob() : refused(answer);
}

/** Rejects with the runtime's words. */
export async function uploadFile(name: string, content: Blob): Promise<Uploaded> {
  const place = `${PATHS.media}?name=${encodeURIComponent(name)}`;
  const answer = await fetched(place, { method: "POST", headers: { [PAGE_HEADER]: "1" }, body: content });
  return answer.ok ? ((await answer.json()) as Uploaded) : refused(answer);
}

/** All tokens, without their secrets; for the owner's session, as the two below. Rejects with the runtime's words. */
export const tokens = async (): Promise<readonly TokenView[]> =>
  (await own<TokenList>("GET", PATHS.tokens)).tokens;

export const revokeToken = (name: string): Promise<unknown> => {
  const place = encodeURIComponent(name);
  return own("DELETE", `${PATHS.tokens}/${place}?sure=${place}`);
};

/** Takes as long as the program does: some seconds, on a small computer half a minute. */
export const askDoctor = (): Promise<DoctorReport> => own("POST", PATHS.doctor);

export async function settings(): Promise<readonly Setting[]> {
  return (await own<{ settings: readonly Setting[] }>("GET", PATHS.configuration)).settings;
}

async function own<T>(method: string, path: string): Promise<T> {
  const answer = await request(method, path);
  return answer.ok ? ((await answer.json()) as T) : refused(answer);
}

async function refused(answer: Response): Promise<never> {
  const { error } = (await answer.json()) as { error?: { code: string; message: string } };
  throw new Refusal(error?.code ?? "INTERNAL", error?.message ?? answer.statusText);
}

/** Switches off by the session, without a WebSocket. Rejects if it was not done. */
export async function offBySession(): Promise<void> {
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "stop_all", arguments: {} },
  };
  const headers = { ...HEADERS, Accept: "application/json, text/event-stream" };
  const answer = await fetch(PATHS.mcp, { method: "POST", headers, body: JSON.stringify(call) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  const message = text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}");
  answerIn((JSON.parse(message) as { result: unknown }).result);
}

/** On the runtime's own machine anybody may switch off. Rejects elsewhere. */
export async function offHere(): Promise<void> {
  const answer = await fetch(PATHS.off, { method: "POST" });
  if (!answer.ok) throw new Error(answer.statusText);
}
