import t from "tap";
import { z } from "zod";
import { defineOperations } from "../../../runtime/tools/operations.js";
import { Registry } from "../../../runtime/tools/registry.js";
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
