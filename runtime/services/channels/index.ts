import { jobs } from "../bridge/jobs.js";
import { defineModule, type House, idsIn, type PersonalRecord } from "../module.js";
import { CHANNEL_LOG } from "./channel-log.js";
import { channels } from "./channels.js";
import { CHANNEL_ERRORS, channelsConfig, plansOf } from "./declarations.js";
import * as tools from "./tools.js";

/** Ways to people outside of the house, such as Telegram. It is on if the configuration names one. */
export const channelsModule = defineModule({
  name: "channels",
  canBeOff: true,
  config: channelsConfig,
  isNeeded: ({ channels }) => plansOf(channels).length > 0,
  needsBridge: () => true,
  toolset: "channels",
  journals: [{ definition: CHANNEL_LOG }],
  errors: CHANNEL_ERRORS,
  parts: [channels],
  tools: [
    tools.listChannels,
    tools.openChannelCode,
    tools.testChannel,
    tools.removeAccount,
    tools.listAccounts,
    tools.pairAccount,
    tools.receiveMessage,
    tools.pressButton,
    tools.noteChannel,
  ],
  overview: { view: (house) => ({ channels: [...house.get(channels).states()] }) },
  person: {
    find: personalRecords,
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

/** Accounts of each person, and the letters to them. */
async function* personalRecords(house: House): AsyncGenerator<PersonalRecord> {
  for await (const { id, record } of house.journal(CHANNEL_LOG).stored()) {
    const names = record.account === "" ? [] : [record.account];
    yield { log: CHANNEL_LOG.name, id, owner: record.person, names };
  }
}
