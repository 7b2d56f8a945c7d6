import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { joinRuntime } from "../../../runtime/cli/pairing.js";
import { selfSigned } from "../../../runtime/server/tls/certificate.js";
import { newCode } from "../../../runtime/wire/pairing.js";
import { newKey, pemOf } from "../../certificates.js";

/** What `tendril join` says of whoever listens there. */
async function joined(t: Test, server: Server): Promise<{ error: Error; left: string[] }> {
  const state = mkdtempSync(join(tmpdir(), "tendril-join-"));
  t.teardown(() => rmSync(state, { recursive: true, force: true }));
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const error = await joinRuntime(url, newCode(), { state, role: "human" }).catch((error: unknown) => error);
  return { error: error as Error, left: readdirSync(state) };
}

/** Whoever answers has not shown yet that it knows the code. */
function stranger(answer: (response: ServerResponse) => void): Server {
  const key = newKey();
  const cert = selfSigned(key, ["127.0.0.1"]).toString();
  return createServer({ key: pemOf(key), cert }, (_, response) => answer(response));
}

t.test("what a stranger says cannot steer the terminal, and is cut", async (t) => {
  const message = `\u001b[2J\u009b1m${"x".repeat(3000)}`;
  const { error, left } = await joined(
    t,
    stranger((response) => response.end(JSON.stringify({ error: { code: "X", message } }))),
  );
  t.match(error, { name: "CommandError", message: /gives no token: .*\[2J/ });
  t.notMatch(error.message, /\p{Cc}/u);
  t.ok(error.message.length < 500);
  t.same(left, []);
});

t.test("who answers without end, hangs up or speaks no TLS is a line for a person", async (t) => {
  const endless = stranger((response) => {
    const more = () => void (response.destroyed || response.write("x".repeat(65_536), more));
    more();
  });
  t.match((await joined(t, endless)).error, { name: "CommandError", message: /the answer is too long/ });
  const rude = stranger((response) => response.destroy());
  t.match((await joined(t, rude)).error, { name: "CommandError", message: /cannot be reached: / });
  const plain = createTcpServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  t.match((await joined(t, plain)).error, {
    name: "CommandError",
    message: /does not speak TLS 1\.3 .*`tendril pair` shows/,
  });
});
