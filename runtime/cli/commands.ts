import { SystemClock } from "../../drivers/clock/system-clock.js";
import type { MessagesFromAgent, SentMessage } from "../wire/people.js";
import { type HistoryKind, type HistoryOptions, history as historyOf } from "./history.js";
import { cleared, released, resumed } from "./lift.js";
import { houseTimeOf, type Letter, LOOK_EVERY, letter, newestMessages, unseen } from "./messages.js";
import { type PhotoOptions, photo as photoIn } from "./photo.js";
import { harmless, print, printAsIs } from "./print.js";
import { type Remote, switchOff, withRemote } from "./remote.js";
import { type Address, runtimeUrl } from "./state.js";
import { type StatusOptions, status as statusOf } from "./status.js";
import { untilStopped, watch } from "./watch.js";

export const tools = (address: Address, { json }: { json?: boolean }) =>
  withRemote(address, async (remote) => {
    const listed = await remote.tools();
    if (json) return printAsIs(harmless(JSON.stringify(listed, null, 2)));
    const width = Math.max(...listed.map(({ name }) => name.length));
    for (const { name, description = "" } of listed)
      print(`${name.padEnd(width)}  ${firstSentence(description)}`);
  });

const firstSentence = (text: string) => /^.*?[.:;](?=\s|$)/.exec(text)?.[0].replace(/[:;]$/, ".") ?? text;

/** What is shown is harmless already. Once, or again and again until Ctrl-C. */
async function shown(show: () => Promise<string>, again = false): Promise<void> {
  if (!again) return printAsIs(await show());
  const around = { screen: process.stdout, clock: new SystemClock(), signal: untilStopped() };
  await watch(show, LOOK_EVERY, around);
}

interface Watched {
  readonly watch?: boolean;
}

export const history = (address: Address, kind: HistoryKind, options: HistoryOptions & Watched) =>
  withRemote(address, (remote) =>
    shown(async () => harmless(await historyOf(remote, kind, options)), options.watch),
  );

export const status = (address: Address, options: StatusOptions & Watched) =>
  withRemote(address, (remote) => shown(() => statusOf(remote, options), options.watch));

export interface MessagesOptions {
  readonly limit: number;
  readonly json?: boolean;
  readonly follow?: boolean;
}

export const messages = (address: Address, { limit, json = false, follow = false }: MessagesOptions) =>
  withRemote(address, async (remote) => {
    const time = await houseTimeOf(remote);
    const line = (each: Letter) => (json ? JSON.stringify(each) : letter(each, time));
    const say = json ? (text: string) => printAsIs(harmless(text)) : print;
    if (follow) return followed(remote, limit, (each) => say(line(each)));
    const letters = await newestMessages(remote, limit);
    if (json) return printAsIs(harmless(JSON.stringify(letters, null, 2)));
    if (letters.length === 0) return print("no messages yet");
    for (const each of letters) print(line(each));
  });

async function followed(remote: Remote, limit: number, tell: (each: Letter) => void): Promise<void> {
  const [fresh, signal, clock] = [unseen(), untilStopped(), new SystemClock()];
  while (!signal.aborted) {
    for (const each of fresh(await newestMessages(remote, limit))) tell(each);
    await clock.sleep(LOOK_EVERY, signal).catch(() => undefined);
  }
}

/** Answers a message, the agent's newest by default; with none there it is simply a message. */
export const reply = (address: Address, text: string, { to }: { to?: string }) =>
  withRemote(address, async (remote) => {
    const newest = async () =>
      (await remote.call<MessagesFromAgent>("list_messages_from_agent", { limit: 1 })).messages[0]
        ?.message_id;
    const in_reply_to = to ?? (await newest());
    const { message_id } = await remote.call<SentMessage>("send_message_to_agent", {
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
