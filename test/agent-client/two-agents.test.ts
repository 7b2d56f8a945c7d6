import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { RuntimeProcess } from "../process.js";
import { spawnNode } from "../spawn-node.js";
import { fakeOllama, says } from "./models/fake-ollama.js";
import { endOf } from "./run-log/ended.js";

const MAIN = join(process.cwd(), "dist/agent-client/main.js");

t.test(
  "of two agents on one computer with one token, the second asks no model and says who cares",
  async (t) => {
    const runtime = await RuntimeProcess.start({ speed: 1 });
    const folder = await mkdtemp(join(tmpdir(), "tendril-two-"));
    t.teardown(async () => {
      await runtime.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const { server, url } = fakeOllama(t, says({ content: "Done." }));
    const env = { OLLAMA_HOST: await url };
    const agent = (name: string, ...more: string[]) => {
      const own = ["--state", runtime.state, "--agent-state", join(folder, name), "--once"];
      return endOf(spawnNode([MAIN, ...own, ...more], env));
    };
    t.match(await agent("first"), { code: 0 });
    const { code, out } = await agent("second", "--model", "ollama:x");
    t.equal(code, 1);
    t.match(out.replace(/\s+/g, " "), new RegExp(`cared for by agent \\(${hostname()}-[0-9a-f]{6}\\) until`));
    t.equal(server.asked.length, 0);
    t.match(await agent("first"), { code: 0 }, "the first goes on");
  },
);
