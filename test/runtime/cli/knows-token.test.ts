import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { switchOff, withRemote } from "../../../runtime/cli/remote.js";
import { serverRig } from "../server/fixture-rig.js";

const TOKEN = "the-token-of-this-person";

/** A state folder whose runtime was killed, and that says it listens at this address. */
function leftBehind(t: Test, announcement: string): string {
  const state = t.testdir();
  mkdirSync(join(state, "tokens"));
  writeFileSync(join(state, "tokens/human"), `${TOKEN}\n`);
  writeFileSync(join(state, "runtime.json"), announcement);
  return state;
}

/** Another program that has the port now; all that it was sent. */
async function stranger(t: Test, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  return {
    heard,
    announcement: JSON.stringify({
      url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
      pid: 1,
    }),
  };
}

const ask = (state: string) => withRemote({ state }, (remote) => remote.tools());

t.test("a program that has the port of a dead runtime is sent no token, whatever it answers", async (t) => {
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => response.end("hello"),
    (response) => response.end(JSON.stringify({ runtime: "x", proof: "0".repeat(64) })),
    (response) => response.end("x".repeat(100_000)),
    (response) => response.writeHead(404).end(),
    (response) => response.destroy(),
  ];
  for (const answer of answers) {
    const { heard, announcement } = await stranger(t, (_, response) => answer(response));
    await t.rejects(ask(leftBehind(t, announcement)), { name: "CommandError" });
    t.equal(heard.length, 1, "nothing follows the question");
    t.notMatch(heard.join(), TOKEN);
  }
});

t.test("a stranger's answer is not taken for the runtime's word that everything is off", async (t) => {
  for (const body of ["{}", "ok", '{"off":false}', ""]) {
    const { announcement, heard } = await stranger(t, (_, response) => response.end(body));
    t.equal(await switchOff(JSON.parse(announcement).url), false, body);
    t.match(heard, [/^POST \/off /]);
  }
  const rig = await serverRig(t);
  t.equal(await switchOff(rig.server.url), true);
});

t.test("a stranger who hands the question on to the runtime is no runtime", async (t) => {
  const rig = await serverRig(t);
  const { announcement } = await stranger(t, async (request, response) => {
    response.end(await (await fetch(new URL(request.url ?? "", rig.base))).text());
  });
  const state = leftBehind(t, announcement);
  writeFileSync(join(state, "tokens/human"), rig.token);
  await t.rejects(ask(state), { message: /does not know this token, so it was not sent/ });
});

t.test("the runtime itself is asked and then told", async (t) => {
  const rig = await serverRig(t);
  const state = leftBehind(t, JSON.stringify({ url: rig.server.url, pid: process.pid }));
  writeFileSync(join(state, "tokens/human"), rig.token);
  t.ok((await ask(state)).length > 0);
});

t.test("an address that is cut short or none at all is a clear error", async (t) => {
  for (const text of ["", '{"url":"ws://127.0.', "{}", '{"url":7}', '{"url":"file:///etc/passwd"}', "[]"]) {
    await t.rejects(ask(leftBehind(t, text)), {
      name: "CommandError",
      message: /runtime.json cannot be read/,
    });
  }
});
