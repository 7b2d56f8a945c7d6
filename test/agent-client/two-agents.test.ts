import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { RuntimeHere } from "../process.js";
import { agentHere } from "../tendril-here.js";
import { fakeOllama, says } from "./models/fake-ollama.js";

t.test(
  "of two agents on one computer with one token, the second asks no model and says who cares",
  async (t) => {
    const runtime = await RuntimeHere.start({ speed: 10 });
    const folder = await mkdtemp(join(tmpdir(), "tendril-two-"));
    t.teardown(async () => {
      await runtime.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const { server, url } = fakeOllama(t, says({ content: "Done." }));
    const env = { OLLAMA_HOST: await url };
    const start = (name: string, ...more: string[]) =>
      agentHere(["--state", runtime.state, "--agent-state", join(folder, name), ...more], env);
    const first = start("first");
    t.teardown(() => first.signal("SIGTERM"));
    await first.until(/completed/);
    const asked = ["--style", "calls", "--model", "ollama:x"];
    const { code, out } = await start("second", "--once", ...asked).ended;
    t.equal(code, 1);
    t.match(out.replace(/\s+/g, " "), new RegExp(`cared for by agent \\(${hostname()}-[0-9a-f]{6}\\) until`));
    t.equal(server.asked.length, 0);
    first.signal("SIGTERM");
    t.match(await first.ended, { code: 0 });
    t.match(
      await start("second", "--once").ended,
      { code: 0 },
      "an agent that ends gives up its care: the next need not wait",
    );
    t.match(await start("third", "--once").ended, { code: 0 }, "so does one that runs once");
  },
);
