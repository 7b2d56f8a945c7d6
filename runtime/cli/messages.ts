import { HouseTime } from "../house-time.js";
import type { Message } from "../wire/people.js";
import { timesIn } from "./print.js";
import { overviewOf, type Remote } from "./remote.js";

export interface Letter extends Message {
  readonly who: string;
}

/** Absent of what the person wrote. */
type Listed = Message & { readonly from?: string };

/** The newest messages of both, the oldest of them first. */
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

export async function houseTimeOf(remote: Remote): Promise<HouseTime> {
  return new HouseTime((await overviewOf(remote)).zone);
}

export function letter(
  { message_id, in_reply_to, timestamp, read_at, content = "", who }: Letter,
  time: HouseTime,
): string {
  const answers = in_reply_to === null ? "" : `, answers #${in_reply_to}`;
  const state = who === "you" && read_at === null ? ", not read yet" : "";
  const text = timesIn(content, time).replaceAll("\n", "\n    ");
  return `#${message_id}  ${time.minute(timestamp)}  ${who}${answers}${state}\n    ${text}`;
}

/** Those that came since the last look: every look tells each message once. */
export function unseen(): (letters: readonly Letter[]) => Letter[] {
  let last = 0;
  return (letters) => {
    const fresh = letters.filter(({ message_id }) => Number(message_id) > last);
    last = Math.max(last, ...fresh.map(({ message_id }) => Number(message_id)));
    return fresh;
  };
}
