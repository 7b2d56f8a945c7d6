import { SystemClock } from "../../drivers/clock/system-clock.js";
import { remedyFor } from "../../drivers/errors.js";
import type { Clock } from "../../drivers/ports.js";
import { harmless } from "../log.js";
import { HouseTime, timesIn } from "../wire/house-time.js";
import { notificationWords } from "../wire/notification-words.js";
import { type ListedNotification, type NotificationList, newsIn } from "../wire/notifications.js";
import type { Overview } from "../wire/overview.js";
import { type Message, messagesFromAgent, sentMessage } from "../wire/people.js";
import { unmarked } from "../wire/phrases.js";
import { wrongUse } from "./failure.js";
import { asCalledHere, printAsIs, printVerbatim } from "./print.js";
import { overviewOf, type Remote, understood } from "./remote.js";
import { awayWords, LOOK_EVERY, patientWith, untilStopped } from "./watch.js";

type Letter = Omit<Listed, "from"> & { readonly who: string };

/** `from` is absent for the person's messages; `notification` is present for the runtime's. */
type Listed = Message & {
  readonly from?: string;
  readonly notification?: Notified;
  readonly over_at?: string | null;
};
type Notified = Pick<ListedNotification, "kind" | "severity" | "data"> & { readonly plant?: string | null };

interface MessagesOptions {
  readonly limit: number;
  readonly json?: boolean;
  readonly follow?: boolean;
}

type Connected = <T>(use: (remote: Remote) => Promise<T>) => Promise<T>;

/** Prints the newest messages; with `follow` also new ones as they come. */
export async function showMessages(
  connected: Connected,
  { limit, json = false, follow = false }: MessagesOptions,
): Promise<void> {
  const house = await connected(houseOf);
  const say = (each: Letter) =>
    json ? printAsIs(harmless(JSON.stringify(each))) : printVerbatim(letter(each, house));
  const ask = () => connected((remote) => newestMessages(remote, limit));
  if (follow) return followMessages(ask, say);
  const letters = await ask();
  if (json) return printAsIs(harmless(JSON.stringify(letters, null, 2)));
  if (letters.length === 0) return printAsIs("no messages yet");
  for (const each of letters) say(each);
}

/** Goes on when the runtime was away: each look is a connection of its own. */
async function followMessages(ask: () => Promise<Letter[]>, say: (each: Letter) => void): Promise<void> {
  const [fresh, signal, clock] = [unseen(), untilStopped(), new SystemClock()];
  const patient = patientWith(ask);
  let away = false;
  while (!signal.aborted) {
    const letters = await patient().catch((error: unknown) => {
      const words = awayWords(error);
      if (!away) process.stderr.write(`${words}\n`);
    });
    away = letters === undefined;
    for (const each of fresh(letters ?? [])) say(each);
    await clock.sleep(LOOK_EVERY, signal).catch(() => undefined);
  }
}

/** A choice: who has had more news since the agent wrote does not mean that message. */
const LOOKED_AT = 20;

/** Answers a message, by default the agent's newest, never the runtime's; without one it sends a new message. */
export async function reply(remote: Remote, message: string, { to }: { to?: string }): Promise<string> {
  if (message.trim() === "") throw wrongUse("the message is empty: nothing was sent");
  const newest = async () => {
    const listed = await remote.call("list_messages_from_agent", { limit: LOOKED_AT });
    const { messages } = understood("list of messages", messagesFromAgent, listed);
    return messages.find(({ from }) => from === "agent")?.message_id;
  };
  const in_reply_to = to ?? (await newest());
  const answered = in_reply_to && { in_reply_to };
  const sent = await remote.call("send_message_to_agent", { message, ...answered });
  const { message_id } = understood("answer", sentMessage, sent);
  return `sent as #${message_id}${in_reply_to ? `, in reply to #${in_reply_to}` : ""}`;
}

/** The newest messages of agent, person and runtime, oldest first. Does not mark them as read. */
export async function newestMessages(remote: Remote, limit: number): Promise<Letter[]> {
  const from = async (tool: string, who: string) =>
    (await remote.call<{ messages: Listed[] }>(tool, { limit })).messages.map((message) => ({
      ...message,
      who: message.from ?? who,
    }));
  const all = [
    ...(await from("list_messages_from_agent", "agent")),
    ...(await from("list_messages_from_human", "you")),
  ];
  return all.sort((a, b) => Number(a.message_id) - Number(b.message_id)).slice(-limit);
}

/** What the words of a house need: its time, and what people call its plants. */
export interface HouseWords {
  readonly time: HouseTime;
  name(plant: string): string;
}

export const houseOf = async (remote: Remote): Promise<HouseWords> => wordsFor(await overviewOf(remote));

export const wordsFor = ({ zone, plants }: Pick<Overview, "zone" | "plants">): HouseWords => ({
  time: new HouseTime(zone),
  name: (plant) => plants.find((each) => each.plant === plant)?.name ?? plant,
});

export function letter(
  { message_id, in_reply_to, timestamp, read_at, content = "", who, notification, over_at }: Letter,
  house: HouseWords,
  columns = process.stdout.columns ?? Number.POSITIVE_INFINITY,
): string {
  const answers = in_reply_to === null ? "" : `, answers #${in_reply_to}`;
  const state = who === "you" && read_at === null ? ", not read yet" : "";
  const { time } = house;
  const severity = notification === undefined ? "" : `, ${notification.severity}`;
  const over = over_at ? `, over since ${time.minute(over_at)}` : "";
  const words = (notification && wordsOf(notification, house)) ?? saidBy(who, content);
  const text = quoted(timesIn(words, time), columns);
  return `#${message_id}  ${time.minute(timestamp)}  ${who}${severity}${over}${answers}${state}\n${text}`;
}

/** An agent's words without Markdown's marks, and with commands as they are called here; those of others as they are. */
const saidBy = (who: string, content: string): string =>
  who === "agent" ? asCalledHere(unmarked(content)) : content;

/** Undefined for a kind that this version does not know. */
function wordsOf(notification: Notified, { time, name }: HouseWords): string | undefined {
  const news = newsIn(notification);
  const clock = (at: string) => `${time.clock(at)} ${time.zone}`;
  return (
    news &&
    asCalledHere(
      notificationWords(news, { plant: notification.plant ?? undefined, name, clock, remedy: remedyFor }),
    )
  );
}

/** Before each line of a message, so that no line looks like the heading of another message. */
const MARGIN = "  │ ";

/** A message with its margin, broken at blanks, or within a word that is longer than a line. */
const quoted = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((line) => broken(line, columns - MARGIN.length))
    .map((line) => MARGIN + line)
    .join("\n");

function broken(text: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = [...text];
  for (let fit = countFitting(rest, columns); fit < rest.length; fit = countFitting(rest, columns)) {
    const blank = rest.lastIndexOf(" ", fit);
    const end = blank > 0 ? blank : fit;
    lines.push(rest.slice(0, end).join(""));
    rest = rest.slice(blank > 0 ? end + 1 : end);
  }
  return [...lines, rest.join("")];
}

/** How many of the first characters fit. Non-ASCII characters count as two columns, the largest width. */
function countFitting(characters: readonly string[], columns: number): number {
  let width = 0;
  const tooMany = characters.findIndex((character) => {
    width += character < "\u0080" ? 1 : 2;
    return width > columns;
  });
  return tooMany < 0 ? characters.length : Math.max(1, tooMany);
}

/** Filters the messages that were not there before. */
export function unseen(): (letters: readonly Letter[]) => Letter[] {
  let last = 0;
  return (letters) => {
    const fresh = letters.filter(({ message_id }) => Number(message_id) > last);
    last = Math.max(last, ...fresh.map(({ message_id }) => Number(message_id)));
    return fresh;
  };
}

interface Following {
  /** The name of this program's channel: each notification is delivered to it once. */
  readonly channel: string;
  readonly tell: (text: string) => void;
  readonly clock: Pick<Clock, "sleep">;
  readonly signal: AbortSignal;
}

/** Shows the runtime's notifications, oldest first, until the signal aborts. */
export async function followNotifications(
  remote: Remote,
  { channel, tell, clock, signal }: Following,
): Promise<void> {
  const house = await houseOf(remote);
  while (!signal.aborted) {
    const { notifications } = await remote.call<NotificationList>("list_notifications", { channel });
    for (const each of notifications.toReversed()) {
      tell(letter(asLetter(each), house, TERMINAL));
      await remote.call("note_delivery", { message_id: each.message_id, channel, state: "delivered" });
    }
    await clock.sleep(LOOK_EVERY, signal).catch(() => undefined);
  }
}

/** Columns of the demo's lines. A choice: every terminal has this many. */
export const TERMINAL = 80;

const asLetter = (notification: ListedNotification): Letter => ({
  ...notification,
  who: "runtime",
  in_reply_to: null,
  delivered_at: null,
  read_at: null,
  content: `${notification.kind}: ${JSON.stringify(notification.data)}`,
  notification,
});
