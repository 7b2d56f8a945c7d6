import t from "tap";
import { createModel } from "../../../agent-client/models/index.js";
import { AgentInRig } from "../../agent-in-rig.js";
import { rigFor } from "../../rig.js";
import { fails, fakeOllama, says } from "./fake-ollama.js";
import { type Answering, inOrder } from "./fake-server.js";
import { decides, looks, told, waters } from "./watering-ollama.js";

const logs: Answering = (body, headers) => {
  const details = { ml: told(body, "dispense_water").dispensed };
  const action = { type: "water", details };
  return says({ calls: [{ name: "log_action", arguments: action }] })(body, headers);
};

t.test("a model in Ollama cares for a plant: looks, decides, waters, logs and stops", async (t) => {
  const rig = await rigFor(t, { start: "2026-06-01T12:00:00.000Z" });
  const { server, url } = fakeOllama(t, inOrder(looks, decides, waters, logs, says({ content: "Done." })));
  const agent = new AgentInRig(rig, createModel("ollama:qwen3", { OLLAMA_HOST: await url }));
  t.equal(await agent.turn(), true, agent.story);
  t.match(agent.story, /completed {3}7 calls/);
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 20, events: 1 });
  t.equal(server.asked.length, 5);
  t.equal(
    new Set(server.asked.map(({ tools }) => JSON.stringify(tools))).size,
    1,
    "the same tools each time",
  );
});

t.test("a model that is not there waters nothing, and the story says what to do", async (t) => {
  const rig = await rigFor(t);
  const { url } = fakeOllama(t, fails(404, 'model "qwen3" not found'));
  const agent = new AgentInRig(rig, createModel("ollama:qwen3", { OLLAMA_HOST: await url }));
  t.equal(await agent.turn(), false);
  t.match(agent.story.replace(/\s+/g, " "), /incomplete .* fetch it with `ollama pull qwen3` \(0 calls/);
  t.match(await rig.get("get_water_usage_24h"), { used_ml: 0 });
});
