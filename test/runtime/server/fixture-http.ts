import { request } from "node:http";
import { text } from "node:stream/consumers";
import { tokenOf } from "./fixture-host.js";
import { type Body, bearer, type Rig } from "./fixture-rig.js";

export const JSON_TYPE = {
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
};
export const READ = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "read_moisture", arguments: {} },
};

interface Answer {
  readonly status: number | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

/** Unlike fetch, sends whatever Host and Origin it is told. */
export function ask(
  rig: Rig,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = "",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: rig.server.port, method, path, headers },
      async (response) => {
        resolve({ status: response.statusCode, headers: response.headers, body: await text(response) });
      },
    );
    sent.once("error", reject).end(body);
  });
}

export const codeOf = ({ body }: Answer): string => (JSON.parse(body) as Body).error.code;
export const callMcp = (rig: Rig, headers: Record<string, string>, body = JSON.stringify(READ)) =>
  ask(rig, "POST", "/mcp", { ...JSON_TYPE, ...headers }, body);

/** What the page's own script sends with each request. */
export const PAGE = { "X-Tendril-Page": "1" };

/** The headers of a page of the runtime in a browser that has a session with this token. */
export async function cookieOf(rig: Rig, token: string) {
  const human = bearer(await tokenOf(rig.folder, "human"));
  const { body } = await ask(rig, "POST", "/sessions", human, JSON.stringify({ token }));
  const { code } = JSON.parse(body) as { code: string };
  const own = { Origin: rig.base, ...PAGE };
  const { headers } = await ask(rig, "POST", "/session", own, JSON.stringify({ code }));
  const [cookie = ""] = (headers["set-cookie"] as string[] | undefined) ?? [];
  return { Cookie: cookie.split(";")[0] ?? "", ...own };
}
