import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { RuntimeHere } from "./process.js";
import { agentHere, tendrilHere } from "./tendril-here.js";

export const TLS = "server: { tls: { port: 0, host: 127.0.0.1 } }\n";

export function folders(t: Test) {
  const home = mkdtempSync(join(tmpdir(), "tendril-tls-"));
  t.teardown(() => rmSync(home, { recursive: true, force: true }));
  return { home, state: join(home, "state"), own: join(home, "agent"), file: join(home, "tendril.yaml") };
}

/** A runtime with TLS, and an agent with a folder of its own on what could be another computer. */
export async function secured(t: Test) {
  const { state, own, file } = folders(t);
  writeFileSync(file, TLS);
  const runtime = await RuntimeHere.start({ state, args: ["--config", file] });
  t.teardown(() => runtime.stop());
  const on = (...args: string[]) => tendrilHere([...args, "--state", state]);
  const agent = (...args: string[]) =>
    agentHere(["--state", "/nowhere", "--agent-state", own, "--once", ...args]).ended;
  /** What `tendril pair` says, taken apart. */
  const code = async (...args: string[]) => {
    const { out } = await on("pair", ...args);
    const [, spelled = "", port = "", pin = ""] =
      /^(\S+)\n[\s\S]*\/\/[^:]+:(\d+)[\s\S]*(sha256:\S+)/.exec(out) ?? [];
    return { out, spelled, pin, port: Number(port), url: `wss://127.0.0.1:${port}/mcp` };
  };
  return { state, own, file, runtime, on, agent, code };
}
