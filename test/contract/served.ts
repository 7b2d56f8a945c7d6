import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Test } from "tap";
import { SystemClock } from "../../drivers/clock/system-clock.js";
import { runtimeApi } from "../../runtime/core.js";
import type { Limits } from "../../runtime/server/limits.js";
import { startServer } from "../../runtime/server/server.js";
import { TokenStore } from "../../runtime/server/tokens.js";
import { type Kind, SCOPES } from "../../runtime/wire/identity.js";
import type { Rig } from "../rig.js";

/** The rig on a real port, with a token of each kind. */
export async function servedWithTokens(t: Test, rig: Rig, limits: Partial<Limits> = {}, port = 0) {
  const folder = join(rig.state, "tokens");
  const tokens = await TokenStore.open(folder, new SystemClock(), () => undefined);
  const files = await Promise.all(
    SCOPES.map((scope) => tokens.add(scope).catch(() => pathOf(folder, scope))),
  );
  const fresh = await TokenStore.open(folder, new SystemClock(), () => undefined);
  const server = await startServer({
    host: runtimeApi(rig.core),
    tokens: fresh,
    clock: new SystemClock(),
    listen: { port },
    limits,
    log: () => undefined,
  });
  t.teardown(() => server.close());
  const base = server.url.replace("ws:", "http:").replace(/\/mcp$/, "");
  const headers = async (kind: Kind) => {
    const file = files.find((each) => each.endsWith(`/${kind}`)) ?? join(folder, kind);
    return { Authorization: `Bearer ${(await readFile(file, "utf8")).trim()}` };
  };
  const ask = async (method: string, path: string, kind?: Kind) =>
    fetch(`${base}${path}`, { method, headers: kind ? await headers(kind) : {} });
  const client = async (kind: Kind, era: "2025" | "2026-07-28" = "2026-07-28") => {
    const mode = era === "2025" ? ("legacy" as const) : { pin: era };
    const own = new Client({ name: "who-may", version: "1" }, { versionNegotiation: { mode } });
    const requestInit = { headers: await headers(kind) };
    await own.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit }));
    t.teardown(() => own.close());
    return own;
  };
  return { ask, client, base, url: server.url, close: server.close };
}

/** Where the token of a scope is that was made before. */
const pathOf = (folder: string, scope: string): string => join(`${folder}-scoped`, scope);
