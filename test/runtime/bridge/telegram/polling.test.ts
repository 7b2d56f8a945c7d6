import t from "tap";
import { SimulatedClock } from "../../../../drivers/clock/simulated-clock.js";
import { millis } from "../../../../drivers/units.js";
import { ChannelReports } from "../../../../runtime/bridge/channel-reports.js";
import { Polling } from "../../../../runtime/bridge/telegram/adapter.js";
import { loadLibrary, openBot } from "../../../../runtime/bridge/telegram/bot-api.js";
import { FakeTelegram, soon } from "./fake-telegram.js";
import { ANNA } from "./phone-rig.js";

/** Seconds of the bridge's clock until what was written is taken. */
async function untilTaken(clock: SimulatedClock, taken: readonly unknown[]): Promise<number> {
  const from = clock.monotonic();
  while (taken.length === 0) {
    await clock.advance(millis(100));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return (clock.monotonic() - from) / 1000;
}

t.test("a connection that a router has forgotten delays what is written by 15 s at most", async (t) => {
  const telegram = await FakeTelegram.start(t);
  const clock = new SimulatedClock();
  const stopping = new AbortController();
  const context = { clock, signal: stopping.signal, call: async () => ({}), say: () => undefined };
  const reports = new ChannelReports("telegram", {
    ...context,
    ...{ onConnected: () => undefined, tellProblem: () => undefined, isAsked: () => true },
  });
  const taken: unknown[] = [];
  const take = (update: unknown) => void taken.push(update);
  const bot = await openBot({ token: telegram.token, api_root: telegram.root }, loadLibrary);
  const polling = new Polling({ bot, context, reports, take, random: () => 0.5 }).run();
  t.teardown(async () => {
    stopping.abort();
    await polling;
  });
  await soon(() => telegram.longPolls > 0 || undefined);
  telegram.forgetConnections();
  telegram.write(ANNA, "/off");
  const delay = await untilTaken(clock, taken);
  t.ok(delay > 5, "the question hung");
  t.ok(delay <= 15, `${delay} s`);
  t.comment(`taken after ${delay} s`);
});
