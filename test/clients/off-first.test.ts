import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import t from "tap";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { seconds } from "../../drivers/units.js";
import { RuntimeProcess } from "../process.js";

const clock = new SystemClock();
const DOSE = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "dispense_water", arguments: { ml: 20 } },
};

/** Sends a request and gives its answer later: the runtime is stopped meanwhile. */
async function sent(url: URL, agent: Agent | false, headers = {}, body = "") {
  const asked = request(url, { method: "POST", agent, headers });
  const answer = once(asked, "response").then(([response]) => text(response as IncomingMessage));
  asked.end(body);
  await once(asked, "finish");
  return { answer };
}

t.test(
  "a dose and a later off that wait together while the process stands still: the dose does not flow",
  async (t) => {
    const runtime = await RuntimeProcess.start();
    t.teardown(() => runtime.stop("SIGKILL"));
    const url = new URL(runtime.url.replace("ws:", "http:"));
    const headers = {
      Authorization: `Bearer ${await runtime.token("human")}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.teardown(() => agent.destroy());
    const reading = { ...DOSE, params: { name: "read_moisture", arguments: {} } };
    await (await sent(url, agent, headers, JSON.stringify(reading))).answer;
    runtime.signal("SIGSTOP");
    const dose = await sent(url, agent, headers, JSON.stringify(DOSE));
    const off = await sent(new URL("/off", url), false);
    await clock.sleep(seconds(1.2)); // tokens are read anew after a second, which takes the dose a while
    runtime.signal("SIGCONT");
    t.match(await off.answer, /"off":true/);
    t.match(await dose.answer, /CANCELLED/);
  },
);
