import t from "tap";
import { type Entry, type Method, Router } from "../../../runtime/server/router.js";

const entry = (path: string, ...methods: Method[]): Entry => ({
  methods,
  path,
  may: "anybody",
  handle: () => undefined,
});

t.test(
  "a path is exactly itself; one that ends in a slash is all beneath it, but for the index",
  async (t) => {
    const router = new Router([entry("/", "GET"), entry("/off", "POST"), entry("/photos/", "GET")]);
    for (const [method, path, found] of [
      ["GET", "/", "/"],
      ["GET", "/other", undefined],
      ["POST", "/off", "/off"],
      ["POST", "/off/", undefined],
      ["GET", "/off", undefined],
      ["GET", "/photos", undefined],
      ["GET", "/photos/", "/photos/"],
      ["HEAD", "/photos/a/b.jpg", "/photos/"],
      ["HEAD", "/off", undefined],
      ["get", "/photos/a", undefined],
    ] as const)
      t.equal(router.find(method, path)?.path, found, `${method} ${path}`);
  },
);

t.test("two routes never answer the same request", async (t) => {
  const pairs: readonly (readonly [Entry, Entry])[] = [
    [entry("/off", "POST"), entry("/off", "GET", "POST")],
    [entry("/photos/", "GET"), entry("/photos/x", "GET")],
    [entry("/photos/new/", "GET"), entry("/photos/", "GET")],
  ];
  for (const pair of pairs) t.throws(() => new Router(pair), /two routes answer/);
  t.ok(new Router([entry("/", "GET"), entry("/off", "GET"), entry("/off", "POST"), entry("/offs", "GET")]));
});

t.test("a refusal repeats no more of a caller's text than it needs", async (t) => {
  const { message } = new Router([entry("/off", "POST")]).refusal("GET", `/${"x".repeat(10_000)}`);
  t.ok(message.length < 300, `${message.length} characters`);
});
