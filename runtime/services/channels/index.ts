import { z } from "zod";
import { shortText } from "../../tools/parameters.js";
import { acts, changes, FOR_BRIDGE, reads, removes, ShownOnce, sets, toolFor } from "../../tools/tool.js";
import { visible } from "../../wire/approval-words.js";
import { jobFailureCode, LONGEST_FAILURE } from "../../wire/bridge.js";
import {
  accountName,
  accountTrouble,
  channelList,
  channelReport,
  channelTest,
  LONGEST_BUTTON_DATA,
  notedReport,
  openedChannelCode,
  pairedAccount,
  pairedAccounts,
  pressed,
  received,
  removedAccount,
} from "../../wire/channels.js";
import { channelName } from "../../wire/notifications.js";
import { jobs } from "../bridge/jobs.js";
import { defineModule, idsIn, personalIn } from "../module.js";
import { channels } from "./channels.js";
import { CHANNEL_ERRORS, channelsConfig, plansOf, refuseUnknown, written } from "./declarations.js";
import { accountsRemovedSince, CHANNEL_LOG } from "./letters.js";
import { keepsOff } from "./receiver.js";

const at = { channel: channelName, account: accountName };

const tool = toolFor(channels);

const listChannels = tool({
  name: "list_channels",
  description:
    "The channels to people, whether each works, what it may approve, and whose accounts are on it.",
  facts: reads("Channels", { world: "closed" }),
  role: "human",
  input: z.strictObject({}),
  output: channelList,
  run: (_, { service }) => service.list(),
});

const openChannelCode = tool({
  name: "open_channel_code",
  description: "A code that pairs one account on a channel with a person, once, within ten minutes.",
  facts: acts("Pair an account"),
  role: "human",
  input: z.strictObject({
    channel: channelName,
    user_id: shortText(64, "whose account it will be; needed if there are several people").optional(),
  }),
  output: openedChannelCode,
  run: ({ channel, user_id }, { service, call }) => {
    const opened = service.openCode(channel, user_id, call);
    return new ShownOnce(opened, { ...opened, code: "[shown once]" });
  },
});

const testChannel = tool({
  name: "test_channel",
  description: "Write a test to every account of a channel, and say what became of each.",
  facts: changes("Test a channel", { destroys: false, repeatable: false, speaks: false, world: "open" }),
  role: "human",
  input: z.strictObject({ channel: channelName }),
  output: channelTest,
  run: ({ channel }, { service }) => service.test(channel),
});

const removeAccount = tool({
  name: "remove_account",
  description: "Take an account off a channel: nothing goes there any more, and what it writes is dropped.",
  facts: removes("Remove an account"),
  role: "human",
  input: z.strictObject(at),
  output: removedAccount,
  run: async ({ channel, account }, { service, call }) => ({
    removed: true as const,
    user_id: await service.removeAccount(channel, account, call),
  }),
});

const listAccounts = tool({
  name: "list_accounts",
  description: "The accounts on a channel whose messages are taken.",
  facts: reads("Accounts of a channel", { world: "closed" }),
  ...FOR_BRIDGE,
  input: z.strictObject({ channel: channelName }),
  output: pairedAccounts,
  run: ({ channel }, { service }) => ({
    accounts: service.accounts.all(service.plan(channel).name).map(({ account }) => account),
  }),
});

const pairAccount = tool({
  name: "pair_account",
  description: "Pair an account with the person whose code it has sent.",
  facts: acts("Pair with a code"),
  ...FOR_BRIDGE,
  input: z.strictObject({
    ...at,
    code: z.string().min(1).max(64),
    name: z.string().max(200).optional().describe("as the account calls itself"),
  }),
  output: pairedAccount,
  run: async ({ channel, account, code, name = null }, { service }) => {
    const wish = { account, name: name === null ? null : visible(name), typed: code };
    const paired = await service.accounts.pair(service.plan(channel).name, wish);
    return { user_id: paired.person, name: paired.name };
  },
});

const receiveMessage = tool({
  name: "receive_message",
  description: "What a person has written on a channel: a command, or words for the agent.",
  facts: acts("Receive a message"),
  ...FOR_BRIDGE,
  holds: keepsOff,
  input: z.strictObject({ ...at, ...written }),
  output: received,
  run: async ({ channel, account, ...message }, { service }) => ({
    reply: await service.receiver.receive(service.plan(channel).name, account, message),
  }),
});

const pressButton = tool({
  name: "press_button",
  description: "A person has pressed a button of a letter. The first answer counts, on whatever channel.",
  facts: changes("Press a button", { destroys: true, repeatable: false, speaks: false, world: "closed" }),
  ...FOR_BRIDGE,
  input: z.strictObject({ ...at, data: z.string().min(1).max(LONGEST_BUTTON_DATA) }),
  output: pressed,
  run: ({ channel, account, data }, { service }) =>
    service.receiver.press(service.plan(channel).name, account, data),
});

const noteChannel = tool({
  name: "note_channel",
  description: "How a channel is; every minute, and at once when that changes.",
  facts: sets("Report on a channel"),
  ...FOR_BRIDGE,
  input: z.strictObject({
    channel: channelName,
    state: channelReport,
    code: jobFailureCode.optional(),
    message: z.string().min(1).max(LONGEST_FAILURE).optional(),
    accounts: z.array(accountTrouble).default([]).describe("whose trouble it is, if it is not everybody's"),
  }),
  output: notedReport,
  run: async ({ channel, state, code = null, message = null, accounts }, { service, isoNow }) => {
    await service.note(channel, { state, code, message, accounts });
    return { timestamp: isoNow() };
  },
});

/** Ways to people outside of the house, such as Telegram. It is on if the configuration names one. */
export const channelsModule = defineModule({
  name: "channels",
  canBeOff: true,
  config: channelsConfig,
  isNeeded: ({ channels }) => plansOf(channels).length > 0,
  needsBridge: () => true,
  check: ({ channels, people }, ctx) => refuseUnknown(channels, people, ctx),
  toolset: "channels",
  journals: [{ definition: CHANNEL_LOG, revokedSince: accountsRemovedSince }],
  errors: CHANNEL_ERRORS,
  parts: [channels],
  tools: [
    listChannels,
    openChannelCode,
    testChannel,
    removeAccount,
    listAccounts,
    pairAccount,
    receiveMessage,
    pressButton,
    noteChannel,
  ],
  senderOn: (house, channel, account) => house.get(channels).senderOn(channel, account),
  overview: { view: (house) => ({ channels: [...house.get(channels).states()] }) },
  person: {
    find: personalIn(CHANNEL_LOG, ({ account, person }) => ({
      owners: [person],
      names: account === "" ? [] : [account],
    })),
    drop: (house, records) => {
      const ids = idsIn(CHANNEL_LOG, records);
      house.get(channels).accounts.drop(ids);
      house.get(channels).letters.drop(ids);
    },
  },
  start: async (house) => {
    house.onClose(house.get(jobs).watch(() => house.get(channels).bridgeChanged()));
    await house.get(channels).start();
  },
});
