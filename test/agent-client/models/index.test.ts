import { readFileSync } from "node:fs";
import t from "tap";
import {
  createModel,
  DEFAULT_MODEL,
  ENVIRONMENT,
  MODEL_NAMES,
  SEEING,
  secretsIn,
} from "../../../agent-client/models/index.js";

t.test("a model is chosen by name; the default needs no environment, and has no variants", (t) => {
  t.equal(createModel("caretaker", {}).name, "caretaker");
  t.equal(createModel(DEFAULT_MODEL, {}).name, "caretaker");
  t.throws(() => createModel("caretaker:x", {}), { message: "caretaker has no variants: write caretaker" });
  t.strictSame(MODEL_NAMES.slice(0, 3), ["caretaker", "ollama:NAME", "openai:NAME"]);
  t.strictSame(secretsIn({ OPENAI_BASE_URL: "http://127.0.0.1:1" }), []);
  t.end();
});

t.test("an unknown name is refused with the known ones", (t) => {
  for (const name of ["gpt", "", "constructor", "Ollama:x"])
    t.throws(() => createModel(name, {}), {
      message: `there is no model "${name}"; known: ${MODEL_NAMES.join(", ")}`,
    });
  t.end();
});

t.test("the owner's page names every provider with its variables, and who sees pictures by itself", (t) => {
  const page = readFileSync("docs/agent.md", "utf8");
  for (const line of ENVIRONMENT) {
    const [name = ""] = line.split(" ");
    const row = page.split("\n").find((each) => each.startsWith(`| \`${name}\``));
    for (const variable of line.match(/[A-Z]+_[A-Z_]+/g) ?? [])
      t.match(row, variable, `docs/agent.md, "Choose a model": the row of ${name} names ${variable}`);
  }
  const [, pictures = ""] = page.replace(/\s+/g, " ").toLowerCase().split("**pictures.**");
  for (const who of SEEING)
    t.match(pictures.split("**")[0], who.toLowerCase(), `docs/agent.md, "Pictures.", names ${who}`);
  t.end();
});

t.test("every provider of models keeps the contract", (t) => {
  for (const name of MODEL_NAMES.filter((each) => each.endsWith(":NAME"))) {
    const file = `test/agent-client/models/${name.replace(":NAME", "")}.test.ts`;
    t.match(readFileSync(file, "utf8"), /^modelContract\(t, /m, file);
  }
  t.end();
});
