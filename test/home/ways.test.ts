import t from "tap";
import { HomeStandIn } from "./stand-in.js";
import { promisesOfWays } from "./tried-ways.js";

promisesOfWays(t, async (t) => {
  const home = await HomeStandIn.start(t);
  const { url, tokens } = home;
  return { url, tokens, hasBroker: true, slowest: 0.3 };
});
