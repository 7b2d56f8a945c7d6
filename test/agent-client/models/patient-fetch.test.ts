import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t, { type Test } from "tap";
import { fetchSlowly } from "../../../agent-client/models/http.js";
import { attempt } from "../../../agent-client/models/model-error.js";
import { never } from "./conversations.js";
import { type Answering, FakeServer } from "./fake-server.js";

const serverFor = (t: Test, answering: Answering) => new FakeServer("/x", answering).listen(t);
const post = { method: "POST", body: "{}", headers: { "x-mine": "1" } };

t.test("what was sent arrives, and the answer comes back whole", async (t) => {
  const url = await serverFor(t, (_, headers) => ({ status: 418, body: { mine: headers["x-mine"] } }));
  const response = await fetchSlowly(60_000)(`${url}/x`, post);
  t.equal(response.status, 418);
  t.equal(response.headers.get("content-type"), "application/json; charset=utf-8");
  t.strictSame(await response.json(), { mine: "1" });
});

t.test("a server that says nothing is given up when patience ends, in words", async (t) => {
  const url = await serverFor(t, () => "silence");
  const wording = { server: "Ollama at home", toReach: "start it", refused: () => undefined };
  const asked = attempt(never, wording, () => fetchSlowly(1)(`${url}/x`, post));
  const message = /^Ollama at home did not answer in time: take a smaller model or a faster computer/;
  await t.rejects(asked, { name: "ModelError", message });
});

t.test("a reply without an end is given up at 8 MB, and not fetched again", async (t) => {
  const chunk = "x".repeat(100_000);
  let sent = 0;
  const server = createServer((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on("drain", more).on("error", () => undefined);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const wording = { server: "Ollama at home", toReach: "start it", refused: () => undefined };
  const asked = attempt(never, wording, () => fetchSlowly(60_000)(`http://127.0.0.1:${port}/x`, post));
  const message = /^Ollama at home sent more than 8 MB for one reply: look at its log/;
  await t.rejects(asked, { name: "ModelError", kind: "cycle", message });
  t.ok(sent < 100_000_000);
});

t.test("a redirect is not followed: the key stays where it was meant to go", async (t) => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  t.equal((await fetchSlowly(60_000)(`http://127.0.0.1:${port}/x`, post)).status, 307);
  t.equal(asked, 1);
});
