import {
  type ChannelList,
  type ChannelTest,
  channelList,
  channelTest,
  type OpenedChannelCode,
  type RemovedAccount,
} from "../wire/channels.js";
import type { HouseTime } from "../wire/house-time.js";
import { personId } from "./person.js";
import { inLine, printVerbatim } from "./print.js";
import { houseTimeBy, type Remote, understood } from "./remote.js";

/** Every channel: whether it works, what may be approved there, and whose accounts are on it. */
export async function listChannels(remote: Remote, { json = false }: { json?: boolean }): Promise<string> {
  const answer = await remote.call("list_channels");
  if (json) return JSON.stringify(answer, null, 2);
  const { channels } = understood("list of channels", channelList, answer);
  const time = await houseTimeBy(remote);
  return channels.flatMap((each) => linesOf(each, time)).join("\n");
}

function linesOf(listed: ChannelList["channels"][number], time: HouseTime): string[] {
  const { channel, state, since, code, message, may_approve, accounts } = listed;
  const why = [code, message].flatMap((each) => (each === null ? [] : [`: ${inLine(each)}`])).join("");
  const whose = accounts.map(({ account, user_id, name }) => {
    const called = name === null ? "" : ` (${inLine(name)})`;
    return `  ${inLine(account)}${called}  ${inLine(user_id)}`;
  });
  return [
    `${inLine(`${channel}  ${state} since ${time.minute(since)}`)}${why}; approves: ${inLine(may_approve.join(", ")) || "nothing"}`,
    ...(whose.length > 0 ? whose : ["  no account yet: tendril pair --channel ".concat(channel)]),
  ];
}

/** Writes to every account of the channel: a line for each, and whether all got it. */
export async function testChannel(
  remote: Remote,
  channel: string,
): Promise<{ text: string; isWell: boolean }> {
  await remote.call("list_channels"); // a runtime that hangs is found here: a letter may take 40 s
  const answer = await remote.call("test_channel", { channel });
  const { letters } = understood("test of a channel", channelTest, answer);
  return {
    text: letters.map(testLine).join("\n"),
    isWell: letters.every(({ delivered }) => delivered),
  };
}

const testLine = ({ account, user_id, delivered, message }: ChannelTest["letters"][number]): string =>
  `${inLine(account)} (${inLine(user_id)}): ${delivered ? "delivered" : `not delivered: ${inLine(message ?? "no reason")}`}`;

export async function removeAccount(remote: Remote, channel: string, account: string): Promise<string> {
  const { user_id } = await remote.call<RemovedAccount>("remove_account", { channel, account });
  return `removed: ${inLine(account)} was ${inLine(user_id)} on ${inLine(channel)}`;
}

/** Shows a code that pairs one account with a person. */
export async function pairChannel(
  remote: Remote,
  { channel, person }: { readonly channel: string; readonly person?: string },
): Promise<void> {
  const user_id = await personId(remote, person);
  const opened = await remote.call<OpenedChannelCode>("open_channel_code", { channel, user_id });
  const minutes = Math.round(opened.expires_in_s / 60);
  printVerbatim(
    `Send this to the bot, within ${minutes} minutes, from the account of ${inLine(opened.user_id)}:\n\n  /start ${inLine(opened.code)}\n\nIt works once. Then that account may ask the agent, answer requests and switch off.`,
  );
}
