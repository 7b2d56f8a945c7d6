import t from "tap";
import { agentUnlocks } from "./agent.js";
import { HomeStandIn } from "./stand-in.js";

t.test(
  "an agent turns lights on, asks for a lock, and after the person's yes unlocks it exactly once",
  async (t) => agentUnlocks(t, await HomeStandIn.start(t)),
);
