import { chart } from "./chart.js";
import { CommandError } from "./failure.js";
import { cleared, released, resumed } from "./lift.js";
import { type PhotoOptions, photo as photoIn } from "./photo.js";
import { print } from "./print.js";
import { plantArgument, type Remote, switchOff, withRemote } from "./remote.js";
import { type Address, runtimeUrl } from "./state.js";

export interface Plant {
  readonly plant?: string;
}

export const tools = (address: Address, { json }: { json?: boolean }) =>
  withRemote(address, async (remote) => {
    const listed = await remote.tools();
    if (json) return print(JSON.stringify(listed, null, 2));
    const width = Math.max(...listed.map(({ name }) => name.length));
    for (const { name, description = "" } of listed)
      print(`${name.padEnd(width)}  ${firstSentence(description)}`);
  });

const firstSentence = (text: string) => /^.*?[.:;](?=\s|$)/.exec(text)?.[0].replace(/[:;]$/, ".") ?? text;

interface History {
  readonly items: readonly { bucket_end: string; value: number | null }[];
  readonly coverage: { readonly records: number };
}

/** What is drawn of each history: the tool, the aggregation, the field, its unit. */
const HISTORIES = {
  moisture: { tool: "get_moisture_history", aggregation: "mean", value_field: "percent", unit: "%" },
  water: { tool: "get_water_history", aggregation: "sum", value_field: "ml_dispensed", unit: "ml" },
  light: { tool: "get_light_history", aggregation: "sum", value_field: "minutes", unit: "min" },
} as const;

const WIDEST = 96;
const MARGIN = 16;

export const history = (
  address: Address,
  kind: keyof typeof HISTORIES,
  { hours, plant }: { hours: number } & Plant,
) =>
  withRemote(address, async (remote) => {
    const { tool, unit, ...query } = HISTORIES[kind];
    const columns = Math.max(12, Math.min(WIDEST, (process.stdout.columns ?? 80) - MARGIN));
    const samples_per_hour = Math.min(3600, columns / hours);
    const drawn = {
      ...query,
      hours,
      samples_per_hour,
      include_empty: true,
      ...(await plantArgument(remote, plant)),
    };
    const { items, coverage } = await emptyIfUnknown(remote.call<History>(tool, drawn));
    if (coverage.records === 0) return print(`nothing in the ${kind} history of the last ${hours} h`);
    print(`${kind} of the last ${hours} h (${coverage.records} records)`);
    print(
      chart(
        items.map(({ bucket_end, value }) => ({ at: Date.parse(bucket_end), value })),
        unit,
      ),
    );
  });

/** A window without any record has no field to sum up either. */
const emptyIfUnknown = (history: Promise<History>): Promise<History> =>
  history.catch((error: unknown) => {
    if (error instanceof CommandError && error.message.includes("UNKNOWN_FIELD"))
      return { items: [], coverage: { records: 0 } };
    throw error;
  });

interface Message {
  readonly message_id: string;
  readonly in_reply_to: string | null;
  readonly timestamp: string;
  readonly read_at: string | null;
  readonly content: string;
  /** Absent of what the person wrote. */
  readonly from?: string;
}

export const messages = (address: Address, { limit }: { limit: number }) =>
  withRemote(address, async (remote) => {
    const from = async (tool: string, who: string) =>
      (await remote.call<{ messages: Message[] }>(tool, { limit })).messages.map((message) => ({
        ...message,
        who: message.from ?? who,
      }));
    const all = [
      ...(await from("list_messages_from_agent", "agent")),
      ...(await from("list_messages_from_human", "you")),
    ];
    if (all.length === 0) return print("no messages yet");
    all.sort((a, b) => Number(a.message_id) - Number(b.message_id));
    for (const message of all.slice(-limit)) print(letter(message));
  });

function letter({
  message_id,
  in_reply_to,
  timestamp,
  read_at,
  content,
  who,
}: Message & { who: string }): string {
  const answers = in_reply_to === null ? "" : `, answers #${in_reply_to}`;
  const state = who === "you" && read_at === null ? ", not read yet" : "";
  return `#${message_id}  ${timestamp.slice(0, 16).replace("T", " ")}  ${who}${answers}${state}\n    ${content.replaceAll("\n", "\n    ")}`;
}

/** Answers a message, the agent's newest by default; with none there it is simply a message. */
export const reply = (address: Address, text: string, { to }: { to?: string }) =>
  withRemote(address, async (remote) => {
    const newest = async () =>
      (await remote.call<{ messages: Message[] }>("list_messages_from_agent", { limit: 1 })).messages[0]
        ?.message_id;
    const in_reply_to = to ?? (await newest());
    const { message_id } = await remote.call<{ message_id: string }>("send_message_to_agent", {
      message: text,
      ...(in_reply_to && { in_reply_to }),
    });
    print(`sent as #${message_id}${in_reply_to ? `, in reply to #${in_reply_to}` : ""}`);
  });

export const hold = (address: Address, plant: string | undefined, reason?: string) =>
  withRemote(address, async (remote) => {
    await setHold(remote, true, plant, reason);
    print(`${plant ?? "everything"} is on hold: nothing will be switched on until "tendril resume"`);
  });

export const resume = (address: Address, plant: string | undefined) =>
  withRemote(address, async (remote) => print(await resumed(remote, plant)));

export const clear = (address: Address, plant: string | undefined) =>
  withRemote(address, async (remote) => print(await cleared(remote, plant)));

export const photo = (address: Address, options: PhotoOptions) =>
  withRemote(address, async (remote) => print(await photoIn(remote, options)));

export const release = (address: Address, plant: string | undefined) =>
  withRemote(address, async (remote) => print(await released(remote, plant)));

const setHold = (remote: Remote, on: boolean, plant?: string, reason?: string) =>
  remote.call("set_hold", { hold: on, ...(plant && { plant }), ...(reason && { reason }) });

/**
 * Everything off first, without a token where the runtime is on this machine; then the hold; then off once more,
 * for what an agent may have switched on in between.
 */
export async function off(address: Address): Promise<void> {
  const switched = await switchOff(runtimeUrl(address));
  if (switched) print("everything is off");
  await withRemote(address, async (remote) => {
    if (!switched) await remote.call("stop_all");
    await setHold(remote, true, undefined, "tendril off");
    await remote.call("stop_all");
    print(
      `${switched ? "" : "everything is off and "}on hold: nothing will be switched on until "tendril resume"`,
    );
  });
}
