import t, { type Test } from "tap";
import { type KilledHome, killAtEachStep } from "./kills.js";
import { HomeStandIn } from "./stand-in.js";

async function killed(t: Test): Promise<KilledHome> {
  const standIn = await HomeStandIn.start(t);
  const { url, tokens, home } = standIn;
  return {
    ...{ url, tokens, recordsWithin: 0 },
    kill: () => standIn.kill(),
    boot: () => standIn.boot(),
    freeze: () => standIn.mute(),
    thaw: () => standIn.unmute(),
    hold: () => home.hold(),
    release: () => home.release(),
  };
}

t.test("whatever is killed while an agent asks for a lock, it is unlocked at most once", async (t) =>
  killAtEachStep(t, await killed(t), [
    ["early", "runtime"],
    ["claimed", "home"],
    ["sent", "runtime"],
    ["sent", "bridge"],
    ["answered", "runtime"],
  ]),
);
