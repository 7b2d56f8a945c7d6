import t from "tap";
import { aPage } from "../../../agent-client/models/http.js";
import { attempt, type FailureKind, Refused } from "../../../agent-client/models/model-error.js";
import { never } from "./conversations.js";

const wording = {
  server: "the server",
  toReach: "start it",
  secret: "sk-1234",
  refused: (status: number) => (status === 404 ? "no such model" : undefined),
};

/** As packages wrap what Node threw. */
const wrapped = (code: string, message = code): Error =>
  new TypeError("Connection error.", {
    cause: new Error("fetch failed", { cause: Object.assign(new Error(message), { code }) }),
  });

t.test("every failure is told as what it is, however deep a package has wrapped it", async (t) => {
  const table: [unknown, string][] = [
    [wrapped("ECONNREFUSED"), "the server cannot be reached (ECONNREFUSED): start it"],
    [wrapped("ENOTFOUND"), "the server cannot be reached (ENOTFOUND): start it"],
    [
      wrapped("ECONNRESET", "aborted"),
      "the server sent an answer that broke off or is not JSON: look at its log, and at proxies on the way",
    ],
    [
      new Error("Request timed out."),
      "the server did not answer in time: take a smaller model or a faster computer, and look at the network",
    ],
    [new Refused(404, "404 nothing here"), "no such model"],
    [new Refused(503, "too\nbusy\u001b[31m"), "the server answered 503: too busy [31m"],
    [new Error("Bearer sk-1234 is odd"), "the server failed: Bearer [key] is odd"],
    ["a bare string", "the server failed: a bare string"],
  ];
  for (const [error, message] of table) {
    const failed = attempt(never, wording, () => Promise.reject(error));
    await t.rejects(failed, { name: "ModelError", message, cause: undefined }, message);
  }
});

t.test("what time mends is told from what only a person mends", async (t) => {
  const table: [unknown, FailureKind][] = [
    ...[408, 425, 429, 500, 502, 503, 504].map((status): [unknown, FailureKind] => [
      new Refused(status, "no"),
      "away",
    ]),
    ...[307, 400, 401, 403, 404, 501, 505, 511].map((status): [unknown, FailureKind] => [
      new Refused(status, "no"),
      "person",
    ]),
    [aPage("http://x/api", "<html>"), "person"],
    [new TypeError("Connection error.", { cause: aPage("http://x/api", "<html>") }), "person"],
    [wrapped("ECONNREFUSED"), "away"],
    [wrapped("ECONNRESET"), "broken"],
  ];
  for (const [error, kind] of table) {
    const failed = attempt(never, wording, () => Promise.reject(error));
    await t.rejects(failed, { name: "ModelError", kind }, String(error));
  }
});

t.test("a web page is shown with its address and without the key", async (t) => {
  const page = aPage("http://x/api/chat", "<title>Log in</title>\n sk-1234");
  await t.rejects(
    attempt(never, wording, () => Promise.reject(page)),
    {
      name: "ModelError",
      message: "http://x/api/chat answered with a web page (<title>Log in</title> [key]): start it",
    },
  );
  await t.rejects(
    attempt(never, wording, () => Promise.reject(new Refused(501, "Unsupported method"))),
    {
      name: "ModelError",
      message: "the server answered 501: Unsupported method, and waiting does not help: start it",
    },
  );
});
