import t from "tap";
import { z } from "zod";
import { TendrilError } from "../../../runtime/errors.js";
import { defineOperations } from "../../../runtime/tools/operations.js";
import { explained, Registry } from "../../../runtime/tools/registry.js";
import { defineTool, reads } from "../../../runtime/tools/tool.js";

const service = { name: "nothing", open: () => undefined };
const operation = (name: string) =>
  defineTool({
    ...{ name, description: name, facts: reads(name, { world: "closed" }), service, role: "observer" },
    ...{ input: z.strictObject({}), output: z.object({}), run: () => ({}) },
  });

t.test("a start makes no combined schemas, and whoever lists the tools gets them", async (t) => {
  const tool = defineOperations({
    ...{ name: "both", title: "Both", description: "two operations", service },
    operations: [operation("one"), operation("two")],
  });
  let made = 0;
  const { get = () => undefined } = Object.getOwnPropertyDescriptor(tool, "input") ?? {};
  Object.defineProperty(tool, "input", {
    get: () => {
      made += 1;
      return get();
    },
  });
  const registry = new Registry({ tools: [{ tool, toolset: "x" }], toolsets: ["x"] } as never);
  t.equal(made, 0);
  const [listed] = registry.list({ name: "o", role: "observer" });
  t.match(listed?.inputSchema, { properties: { operation: { enum: ["one", "two"] } } });
  t.equal(made, 1);
});

t.test("the log has the words of an error on one line, hidden signs by their numbers, and cut", async (t) => {
  const foreign = `Home Assistant says no\n<4>all is well \u202e${"x".repeat(2000)}`;
  const logged = explained(new TendrilError("NOT_FOUND", foreign));
  t.match(logged, /^Home Assistant says no\\u\{a\}<4>all is well \\u\{202e\}x+… \(\d+ characters\)$/);
  t.ok(logged.length < 1100);
});
