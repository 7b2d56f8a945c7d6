import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import t from "tap";
import { RuntimeProcess } from "../process.js";
import { spawnNode } from "../spawn-node.js";
import { fakeOllama, says } from "./models/fake-ollama.js";
import { endOf } from "./run-log/ended.js";

/** Resolves once what is said matches. */
async function until(stream: Readable, said: RegExp): Promise<void> {
  let text = "";
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (said.test(text)) return void stream.resume();
  }
  throw new Error(`ended without ${said}: ${text}`);
}

const MAIN = join(process.cwd(), "dist/agent-client/main.js");

t.test(
  "of two agents on one computer with one token, the second asks no model and says who cares",
  async (t) => {
    const runtime = await RuntimeProcess.start({ speed: 10 });
    const folder = await mkdtemp(join(tmpdir(), "tendril-two-"));
    t.teardown(async () => {
      await runtime.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const { server, url } = fakeOllama(t, says({ content: "Done." }));
    const env = { OLLAMA_HOST: await url };
    const start = (name: string, ...more: string[]) => {
      const own = ["--state", runtime.state, "--agent-state", join(folder, name)];
      return spawnNode([MAIN, ...own, ...more], env);
    };
    const first = start("first");
    t.teardown(() => first.kill("SIGKILL"));
    await until(first.stdout, /completed/);
    const { code, out } = await endOf(start("second", "--once", "--style", "calls", "--model", "ollama:x"));
    t.equal(code, 1);
    t.match(out.replace(/\s+/g, " "), new RegExp(`cared for by agent \\(${hostname()}-[0-9a-f]{6}\\) until`));
    t.equal(server.asked.length, 0);
    first.kill("SIGTERM");
    await once(first, "exit");
    t.match(
      await endOf(start("second", "--once")),
      { code: 0 },
      "an agent that ends gives up its care: the next need not wait",
    );
    t.match(await endOf(start("third", "--once")), { code: 0 }, "so does one that runs once");
  },
);
