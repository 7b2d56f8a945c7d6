import { Client, SdkError, SdkErrorCode, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";
import { z } from "zod";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { within } from "../../drivers/clock/waiting.js";
import { type Millis, millis, seconds } from "../../drivers/units.js";
import { CORE_ERRORS } from "../errors.js";
import { HouseTime } from "../wire/house-time.js";
import { META, PATHS } from "../wire/names.js";
import { type Overview, overview } from "../wire/overview.js";
import { otherVersion, SAME_VERSION, VERSION } from "../wire/program.js";
import { ProofQuestion } from "../wire/proof.js";
import { harmlessExcerpt, type RefusalBody, refusalIn } from "../wire/refusal.js";
import { CommandError, wrongUse } from "./failure.js";
import { type Address, announcedIn, isFromFolder, joined, runtimeUrl, token } from "./state.js";

type Args = Record<string, unknown>;

export class Refused extends CommandError {
  constructor(
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    /** Seconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

export interface Remote {
  /** `confirm`: the code of a refusal that the person overrides. */
  call<T>(tool: string, args?: Args, confirm?: string): Promise<T>;
  /** The bytes of a resource; undefined if it does not exist. */
  resource(uri: string): Promise<Uint8Array | undefined>;
  tools(): Promise<readonly { name: string; description?: string | undefined; inputSchema: unknown }[]>;
}

/** A choice: a busy runtime answers within a second or two. */
const CONNECTS_WITHIN = seconds(10);
/** A choice: most calls take far less than a second. */
const ANSWERS_WITHIN = seconds(15);
/** A choice: longer than a dose (26 s), a model's answer (35 s) and a letter to a server that hangs (40 s). */
const SLOW_WITHIN = seconds(60);
const SLOW: ReadonlySet<string> = new Set([
  ...["dispense_water", "capture_photo", "measure_probe", "search_knowledge_base", "test_channel"],
  ...["show_home", "suggest_home", "export_person", "erase_person", "erase_memory"],
]);

/**
 * Connects over HTTP, runs `use`, and closes. `patience`: how long each call may take at most. Throws a CommandError that says what
 * to do. What a server says is told on one line, and cut: it may be none of ours.
 */
export async function withRemote<T>(
  address: Address,
  use: (remote: Remote) => Promise<T>,
  patience?: Millis,
): Promise<T> {
  const url = httpUrl(runtimeUrl(address));
  const client = new Client(
    { name: "tendril-cli", version: VERSION },
    { versionNegotiation: { mode: "auto" }, jsonSchemaValidator: new CfWorkerJsonSchemaValidator() },
  );
  const headers = { Authorization: `Bearer ${token(address)}` };
  const timeout = millis(Math.min(CONNECTS_WITHIN, patience ?? CONNECTS_WITHIN));
  try {
    if (isFromFolder(address)) await assertKnowsToken(url, token(address));
    const options = { requestInit: { headers }, ...(await secured(address, url)) };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), options), { timeout });
  } catch (error) {
    throw isLate(error) ? noAnswer(url, timeout) : unreachable(url, error);
  }
  warnOfVersion(client);
  const inWords =
    (within: Millis) =>
    (error: unknown): never => {
      if (isGone(error)) throw gone(url);
      if (isUnauthorized(error)) throw unknownToken(url);
      const configured = isFromFolder(address) ? announcedIn(address.state)?.config : undefined;
      throw notSetUp(error, configured) ?? notUnderstood(url, error, within);
    };
  const usual = { timeout: patience ?? ANSWERS_WITHIN };
  const slow = { timeout: patience ?? SLOW_WITHIN };
  try {
    return await use({
      call: (tool, args = {}, confirm) => {
        const options = SLOW.has(tool) ? slow : usual;
        return call<never>(client, { tool, args, confirm }, options).catch(inWords(options.timeout));
      },
      resource: (uri) => bytesOf(client, uri, usual).catch(inWords(usual.timeout)),
      tools: () => client.listTools(undefined, usual).then(({ tools }) => tools, inWords(usual.timeout)),
    });
  } finally {
    await client.close();
  }
}

let isWarned = false;

/** Says once that the versions differ. It stops nothing: to read and to switch off must work with any runtime. */
function warnOfVersion(client: Client): void {
  const differs = otherVersion(client.getServerVersion());
  if (differs === undefined || isWarned) return;
  isWarned = true;
  process.stderr.write(`tendril: ${differs}: ${SAME_VERSION}\n`);
}

/** Whether fetch lost the connection. */
const isGone = (error: unknown): boolean =>
  error instanceof TypeError && /fetch failed|terminated/.test(error.message);

const gone = (url: string): CommandError =>
  new CommandError(
    `the runtime at ${url} went away before it answered: once it is back, tendril status and tendril history water show what happened`,
  );

function notUnderstood(url: string, error: unknown, patience: Millis): CommandError {
  if (error instanceof CommandError) return error;
  if (isLate(error)) return noAnswer(url, patience);
  return refusedBy(url, error instanceof Error ? error.message : "");
}

/** A refusal of the runtime itself, in its words: it stops, has too much to do, or a slow request ran out of its time. */
function refusedBy(url: string, text: string): CommandError {
  const refusal = refusalIn(text.slice(text.indexOf("{")));
  return refusal ? new CommandError(`${url}: ${harmlessExcerpt(refusal.message)}`) : otherProgram(url);
}

/** In our own words: those of libraries and of strangers help nobody. */
const otherProgram = (url: string): CommandError =>
  new CommandError(
    `${url} gives an answer that is not understood: it is no runtime, or one of another version than this program (${VERSION}). Look what answers there: curl ${new URL("/healthz", url).href}`,
  );

const isLate = (error: unknown): boolean =>
  error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;

const noAnswer = (url: string, patience: Millis): CommandError =>
  new CommandError(
    `${url} did not answer within ${patience / seconds(1)} s (NO_ANSWER): look whether it was done, then try again`,
  );

/** What a person reads to set a family of services up. */
const PAGES: Readonly<Record<string, string>> = {
  calendars: "bridge",
  channels: "telegram",
  home: "home",
  web: "web-search",
};

const missingFamily = z.object({ family: z.string(), is_off: z.boolean() });

/** A command of a family of services that this runtime does not have: where its owner sets it up. `file`: its configuration. */
function notSetUp(error: unknown, file = "the runtime's configuration"): CommandError | undefined {
  if (!(error instanceof Refused) || error.code !== "UNKNOWN_TOOL") return undefined;
  const { data } = missingFamily.safeParse(error.details);
  if (!data) return undefined;
  const { family, is_off } = data;
  return new CommandError(
    is_off
      ? `${family} is switched off: take \`${family}: false\` out of \`modules:\` in ${file}, and restart the runtime`
      : `\`${family}:\` is not set up: write \`${family}:\` into ${file}, as docs/${PAGES[family] ?? "configuration"}.md shows, and restart the runtime`,
  );
}

/** Over TLS our own fetch, which sends nothing to an untrusted peer. */
async function secured(address: Address, url: string) {
  if (!url.startsWith("https:")) return {};
  const { state, pin = joined(address)?.pin } = address;
  const { isTrusted, secureFetch } = await import("./secure-fetch.js");
  return { fetch: secureFetch(isTrusted({ state, pin })) };
}

interface CallOptions {
  readonly timeout: Millis;
}

async function call<T>(
  client: Client,
  { tool, args, confirm }: { tool: string; args: Args; confirm: string | undefined },
  options: CallOptions,
): Promise<T> {
  const meta = confirm === undefined ? {} : { _meta: { [META.confirm]: confirm } };
  const asked = { name: tool, arguments: args, ...meta };
  const { content, structuredContent, isError } = await client.callTool(asked, options);
  const [first] = content;
  const text = first?.type === "text" ? first.text : "{}";
  if (isError) throw refusalOf(text, tool);
  return (structuredContent ?? JSON.parse(text)) as T;
}

async function bytesOf(client: Client, uri: string, options: CallOptions): Promise<Uint8Array | undefined> {
  const { contents } = await client.readResource({ uri }, options);
  const [first] = contents;
  return first && "blob" in first ? Buffer.from(first.blob, "base64") : undefined;
}

function refusalOf(text: string, tool: string): Error {
  const refusal: RefusalBody | undefined = refusalIn(text);
  if (!refusal) return new CommandError("the runtime refuses, and gives no reason");
  const { code, message, details, retry_after_s } = refusal;
  return new Refused(
    code,
    harmlessExcerpt(forTyping(message, tool), LONGEST_REFUSAL),
    details,
    retry_after_s,
  );
}

/** Who types a command has named no tool, and needs no advice to call it again. */
function forTyping(message: string, tool: string): string {
  const meant = [CORE_ERRORS.INVALID_ARGUMENT, CORE_ERRORS.NOT_FOUND].find(({ fix, code }) =>
    message.endsWith(`: ${fix} (${code})`),
  );
  if (!meant) return message;
  const what = message.slice(0, -`: ${meant.fix} (${meant.code})`.length);
  return what.startsWith(tool) ? what.replace(/^\w+( \w+)?: /, "") : what;
}

/** Characters. A choice: some times as long as the longest of ours. */
const LONGEST_REFUSAL = 4000;

/** A tool's argument for a plant. With one plant the tools take none, but its name is accepted. */
export function plantArgument(
  [only, ...others]: Overview["plants"],
  plant: string | undefined,
): { plant?: string } {
  if (plant === undefined) return {};
  if (!only || others.length > 0) return { plant };
  if (isNamed(only, plant)) return {};
  throw wrongUse(`there is no plant ${plant}; there is: ${only.plant}`);
}

/** Whether `wanted` is the plant's id or name, in any case. */
export const isNamed = ({ plant, name }: { plant: string; name: string }, wanted: string): boolean =>
  [plant, name].some((each) => each.toLowerCase() === wanted.toLowerCase());

export const overviewOf = async (remote: Pick<Remote, "call">): Promise<Overview> =>
  readOverview(await remote.call("get_overview"));

/** The clock of the house that the runtime stands in. */
export const houseTimeBy = async (remote: Remote): Promise<HouseTime> =>
  new HouseTime((await overviewOf(remote)).zone);

export const readOverview = (answer: unknown): Overview => understood("overview", overview, answer);

/** A tool's answer by its schema. Throws a CommandError if the runtime has another. */
export function understood<T>(what: string, schema: z.ZodType<T>, answer: unknown): T {
  const { data, error } = schema.safeParse(answer);
  if (!error) return data;
  const at = error.issues[0]?.path.join(".") || "all of it";
  throw new CommandError(
    `the runtime's ${what} is not understood (${harmlessExcerpt(at)}): it has another version than this program (${VERSION}); install the same on both`,
  );
}

/** A choice: it waits for nothing, so what is silent for so long is no runtime, or one that hangs. */
const OFF_WITHIN = seconds(5);

/** Switches every pump and light off, without a token if the runtime is on this machine; true if it was done. */
export async function switchOff(url: string): Promise<boolean> {
  const limits = { clock: new SystemClock(), longest: OFF_WITHIN, signal: new AbortController().signal };
  const asked = within(limits, async (signal) => {
    const answer = await fetch(new URL(PATHS.off, httpUrl(url)), { method: "POST", signal });
    return answer.ok && switchedOff.safeParse(await answer.json()).success;
  });
  return asked.catch(() => false);
}

/** What a runtime answers; another program that has its port by now may answer anything. */
const switchedOff = z.object({ off: z.literal(true) });

/** ws://H:N/mcp and http://H:N/mcp are the same port; an address without a path means that one too. */
export function httpUrl(url: string): string {
  if (!/^(ws|http)s?:\/\//.test(url) || !URL.canParse(url))
    throw wrongUse(`--url ${url}: must be written as ws://HOST:PORT/mcp or http://…`);
  const meant = new URL(url.replace(/^ws/, "http"));
  if (meant.pathname === "/") meant.pathname = PATHS.mcp;
  return meant.href;
}

/** The CommandError in an error's causes: the SDK wraps errors of our fetch. */
function commandErrorIn(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  return error instanceof Error ? commandErrorIn(error.cause) : undefined;
}

/** The SDK puts the runtime's answer into the message of its error. */
const isUnauthorized = (error: unknown): boolean =>
  error instanceof Error && !(error instanceof CommandError) && /401|UNAUTHORIZED/i.test(error.message);

const unknownToken = (url: string): CommandError =>
  new CommandError(`${url} does not know this token: name another with --token-file`);

function unreachable(url: string, error: unknown): CommandError {
  const text =
    error instanceof Error
      ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ""}`
      : String(error);
  const judged = commandErrorIn(error);
  if (judged) return judged;
  if (isUnauthorized(error)) return unknownToken(url);
  if (/ECONNREFUSED|fetch failed/i.test(text))
    return new CommandError(`nothing answers at ${url}: is the runtime running?`);
  return refusedBy(url, text);
}

/**
 * A killed runtime leaves its address in the state folder, and any program may listen there now. So before the token is sent
 * there, the peer must prove that it knows the token. Throws a CommandError if it does not.
 */
async function assertKnowsToken(url: string, token: string): Promise<void> {
  if ((await new ProofQuestion(token).ask(url, { timeout: CONNECTS_WITHIN })) !== undefined) return;
  throw new CommandError(
    `${url} does not know this token, so it was not sent there: if the runtime is gone and another program has its port, start the runtime again; else name its token with --token-file`,
  );
}

/** No runtime on this machine could be asked. */
export class NobodyAsked extends CommandError {}

interface Where {
  readonly state: string;
}

/**
 * Asks the runtime on this machine for what it does for nobody elsewhere: codes, links, sessions. Without TLS, so the
 * runtime first proves that it knows the token. Throws a CommandError with the runtime's message,
 * and NobodyAsked where there is none to ask.
 */
export async function askHere<T>(where: Where, method: string, path: string, body?: object): Promise<T> {
  const { url, own } = runtimeHere(where, path);
  const headers = { Authorization: `Bearer ${own}` };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const exchange = assertKnowsToken(url.href, own).then(() => fetch(url, init));
  const answer = await exchange.catch((cause: unknown) => {
    if (cause instanceof CommandError) throw new NobodyAsked(cause.message);
    throw new NobodyAsked(`nothing answers at ${url.origin}: is the runtime running? (${String(cause)})`);
  });
  const said = (await answer.json()) as T & { error?: { message: string } };
  if (answer.ok) return said;
  throw new CommandError(said.error?.message ?? `${url} answered ${answer.status}`);
}

function runtimeHere({ state }: Where, path: string): { readonly url: URL; readonly own: string } {
  const elsewhere = joined({ state });
  if (elsewhere)
    throw new NobodyAsked(
      `commands with ${state} go to ${elsewhere.url}, and a runtime does this on its own machine only: call it there`,
    );
  try {
    return { url: new URL(path, httpUrl(runtimeUrl({ state }))), own: token({ state }) };
  } catch (error) {
    throw error instanceof CommandError ? new NobodyAsked(error.message, error.exitCode) : error;
  }
}
