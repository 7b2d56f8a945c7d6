import { execFileSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import t from "tap";
import * as z from "zod";
import { inSingleBytes, shortLivedFailures } from "../../systemd/programs/bundle.js";
import { lateSchemas } from "../../systemd/programs/late-schemas.js";

const INVALID = { at: [1, "two"], size: -1, extra: true };
type Zod = typeof z;
type Schemas = { readonly schemas: readonly unknown[] };

/** As the bundled programs have it. */
const CHANGES: readonly Plugin[] = [shortLivedFailures, lateSchemas];

/** Zod, or something of ours with it. */
async function bundled<T = Zod>(
  folder: string,
  { contents = 'export * from "zod";', plugins = CHANGES } = {},
): Promise<T> {
  const outfile = join(folder, "bundled.js");
  await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["sqlite3"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    outfile,
    plugins: [...plugins],
  });
  return import(pathToFileURL(outfile).href);
}

const checked = ({ strictObject, array, number }: Zod) =>
  strictObject({ at: array(number()), size: number().positive() }).safeParse(INVALID, { reportInput: true });

t.test("a check fails in a bundled program as it does in zod itself", async (t) => {
  const zod = await bundled(t.testdir());
  const [ours, zods] = [checked(zod), checked(z)];
  t.equal(ours.success, false);
  t.ok(ours.error instanceof zod.ZodError);
  t.equal(ours.error?.message, zods.error?.message);
  t.same(ours.error?.issues, zods.error?.issues);
  t.equal(ours.error, ours.error, "the error is made once");
  t.equal(ours.data, undefined);
});

t.test("the failure has no accessor of its own, which would outlive it", async (t) => {
  const failed = checked(await bundled(t.testdir()));
  t.equal(Object.getOwnPropertyDescriptor(failed, "error"), undefined);
  failed.error = undefined as never;
  t.equal(failed.error, undefined, "what is set counts");
});

t.test("a schema of a bundled program is as zod's own, also before anybody has used it", async (t) => {
  const zod = await bundled(t.testdir());
  const made = (say: (zod: Zod) => unknown) => t.same(say(zod), say(z), String(say));
  made(({ string }) => [string().min(2), string().min(2)].map((each) => each.safeParse("a").success));
  made(({ enum: choice }) => [choice(["a"]), choice(["b", "c"])].map(({ options }) => options));
  made(({ enum: choice }) => [choice(["a"]), choice(["b", "c"]).exclude(["b"])].map((each) => each.enum));
  made(({ object, string }) => Object.keys([object({}), object({ a: string() })][1]?.shape ?? {}));
  made(({ literal }) => [literal("a"), literal("b")].map(({ value }) => value));
  made(({ array, string, number }) => [array(string()), array(number())].map(({ element }) => element.type));
  made(({ string, toJSONSchema }) =>
    [string(), string().describe("1").min(1)].map((each) => toJSONSchema(each)),
  );
  made(({ string }) =>
    [string(), string().describe("1").optional(), string().meta({ a: 1 })].map((each) => each.meta()),
  );
  made(({ object, string }) =>
    [object({}), object({ a: string().default("b") })].map((each) => each.parse({})),
  );
  made(({ number, ZodNumber, ZodString }) => {
    const late = [number(), number()][1];
    return [late instanceof ZodNumber, late instanceof ZodString];
  });
  const twice = [zod.string(), zod.string()];
  t.equal(Object.hasOwn(twice[1] ?? {}, "_zod"), false, "nothing is made of it yet");
  t.equal(twice[1]?.parse("a"), "a");
  t.ok(Object.hasOwn(twice[1] ?? {}, "_zod"));
});

t.test(
  "the tools and the configuration of a bundled program have the schemas that they were declared with",
  async (t) => {
    const contents = `
    import { z } from "zod";
    import { configSchema } from "./dist/runtime/configuration.js";
    import { TOOLS } from "./dist/runtime/services/modules.js";
    const forms = TOOLS.flatMap((tool) => [tool, ...(tool.operations ?? [])]);
    const of = (schema, io) => z.toJSONSchema(schema, { io, unrepresentable: "any" });
    export const schemas = [of(configSchema, "input"), ...forms.map(({ input, output }) => [of(input, "input"), of(output, "output")])];`;
    // three folders deep, as a program finds its package.json
    const folder = t.testdir({ "package.json": "{}", plain: { of: { it: {} } }, late: { of: { it: {} } } });
    const plain = await bundled<Schemas>(join(folder, "plain/of/it"), { contents, plugins: [] });
    const late = await bundled<Schemas>(join(folder, "late/of/it"), { contents });
    t.ok(plain.schemas.length > 100);
    t.equal(JSON.stringify(late.schemas), JSON.stringify(plain.schemas));
  },
);

t.test("a program has no character for which V8 would keep two bytes of each", async (t) => {
  const parts = join("dist", "runtime", "parts");
  const files = (await readdir(parts)).filter((file) => file.endsWith(".js"));
  const texts = await Promise.all(files.map((file) => readFile(join(parts, file), "utf8")));
  t.ok(texts.length > 0);
  t.same(
    files.filter((_, at) => /[\u0100-\uffff]/.test(texts[at] ?? "")),
    [],
  );
  t.ok(
    texts.some((text) => text.includes("\\u2026")),
    "there are some in the sources",
  );
});

t.test("serve is a program without the other commands, and they know it all the same", async (t) => {
  const reads = async (program: string) => {
    const text = await readFile(join("dist/runtime/cli", program), "utf8");
    return [...text.matchAll(/import\("([^"]+)"\)/g)].map(([, path = ""]) => path);
  };
  t.same((await reads("serving.js")).filter((path) => path.includes("/parts/")).length, 1, "serve alone");
  t.ok((await reads("commands.js")).filter((path) => path.includes("/parts/")).length > 20);
  t.ok(
    (await reads("commands.js")).includes("./serve.js"),
    "it is started by tendril.js, and never from here",
  );
  const tendril = (...args: string[]) =>
    execFileSync(process.execPath, ["dist/runtime/cli/tendril.js", ...args], { encoding: "utf8" });
  t.match(tendril("help", "serve"), /--bench-controls/);
  t.equal(tendril("serve", "--help"), tendril("help", "serve"));
});

t.test("a program knows the way to the others, wherever lines are cut", async (t) => {
  const folders = { runtime: "../../..", "runtime/serving": "../../../..", "agent-client": "../../.." };
  for (const [folder, up] of Object.entries(folders)) {
    const files = await readdir(join("dist", folder, "parts"));
    for (const file of files.filter((name) => name.endsWith(".js"))) {
      const text = await readFile(join("dist", folder, "parts", file), "utf8");
      const cut = text.replaceAll("\\\n", "");
      t.notMatch(cut, /TENDRIL_ROOT/, file);
      for (const [, way = ""] of cut.matchAll(/new URL\("([^"]*)"\+"\/dist\//g))
        t.equal(way, up, `${file} is in ${folder}/parts`);
    }
  }
});

t.test("a character in a regular expression means the same when it is escaped", async (t) => {
  const expressions = ["/[.!?…]\\s/", "/^[‘’]$/u", "/😀/", "/[😀-😂]/u"];
  for (const source of expressions) {
    const escaped = inSingleBytes(source);
    t.notMatch(escaped, /[\u0100-\uffff]/);
    const [as, was] = [escaped, source].map((text) => new Function(`return ${text}`)() as RegExp);
    for (const text of ["well… so", "’", "😀", "😁", "a"])
      t.equal(as?.test(text), was?.test(text), `${source} ${text}`);
  }
});
