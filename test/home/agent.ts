import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { fakeOllama, OLLAMA, says } from "../agent-client/models/fake-ollama.js";
import { type Answering, inOrder, type Json } from "../agent-client/models/fake-server.js";
import { answerTo } from "../agent-client/models/watering.js";
import { tendril } from "../run-tendril.js";
import { agentHere, tendrilHere } from "../tendril-here.js";
import { HouseProcesses } from "./house-processes.js";
import { Judge } from "./judge.js";
import { type TestHome, until } from "./tested-adapter.js";

const [LIGHT, DOOR] = ["light.kitchen_lights", "lock.front_door"];
const CONFIG = `server: { calls_per_second: 100000 }
home:
  entities:
    ${LIGHT}: { name: Kitchen lights, opaque: allowed }
    ${DOOR}: { name: Front door, opt_in: true }
`;
/** On the first of January: no cycle of care comes between. */
const NEVER = "0 0 1 1 *";

const calls = (domain: string, service: string, entity_id: string): Answering =>
  says({ calls: [{ name: "call_ha_service", arguments: { domain, service, entity_id } }] });

/** The whole way as a person has it: `tendril chat`, an agent with a scripted model, and `tendril approve` in a terminal. */
export async function agentUnlocks(t: Test, home: TestHome): Promise<void> {
  const judge = await Judge.of(t, home);
  await judge.call("light.turn_off", LIGHT);
  await judge.call("lock.lock", DOOR);
  await judge.sees(() => judge.states.get(LIGHT) === "off" && judge.states.get(DOOR) === "locked");
  judge.changes.length = 0;
  const house = await HouseProcesses.start(t, home, { config: CONFIG, agents: [] });
  const answers: Json[] = [];
  const then =
    (next: Answering): Answering =>
    (body, headers) => {
      answers.push(answerTo(OLLAMA, body, "call_ha_service"));
      return next(body, headers);
    };
  const { url } = fakeOllama(
    t,
    inOrder(
      calls("light", "turn_on", LIGHT),
      then(calls("lock", "unlock", DOOR)),
      then(says({ content: "The lights are on, and the door is open." })),
    ),
  );
  const at = ["--state", house.state];
  const own = await mkdtemp(join(tmpdir(), "tendril-home-agent-"));
  t.teardown(() => rm(own, { recursive: true, force: true }));
  const model = ["--model", "ollama:scripted", "--style", "calls"];
  const agent = agentHere([...at, "--cron", NEVER, "--agent-state", own, ...model], {
    OLLAMA_HOST: await url,
  });
  t.teardown(() => agent.signal("SIGTERM"));
  // a process of its own, since it waits while the others run
  const chat = tendril(["chat", ...at, "--wait", "200", "Lights on in the kitchen, and let me in"]);

  const [, number = ""] = await until(async () => {
    const { out } = await tendrilHere(["approvals", ...at]);
    return (
      /unlock Front door \(lock\.front_door, now locked\).*approve (?:.* )?(\d+), or/.exec(out) ?? undefined
    );
  });
  t.match(answers, [{ status: "success", entities: [{ entity_id: LIGHT, before: "off", after: "on" }] }]);
  t.equal(judge.states.get(LIGHT), "on");
  t.equal(judge.states.get(DOOR), "locked", "a person is asked first");
  t.match(await tendrilHere(["approve", ...at, number]), { code: 0, out: /^approved/ });
  const { code, out } = await chat;
  t.same([code, out], [0, "The lights are on, and the door is open.\n"]);
  t.match(answers[1], { status: "success", entities: [{ entity_id: DOOR, after: "unlocked" }] });
  t.equal(judge.changes.filter((change) => change === `${DOOR} unlocking`).length, 1, "exactly once");
  agent.signal("SIGTERM");
  t.match(await agent.ended, { code: 0 });
  await house.end();
}
