import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import t from "tap";
import * as z from "zod";
import { inSingleBytes, shortLivedFailures } from "../../systemd/programs/bundle.js";

const INVALID = { at: [1, "two"], size: -1, extra: true };
type Zod = typeof z;

/** Zod as the bundled programs have it. */
async function bundledZod(folder: string): Promise<Zod> {
  const outfile = join(folder, "zod.js");
  const contents = 'export * from "zod";';
  await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    format: "esm",
    outfile,
    plugins: [shortLivedFailures],
  });
  return import(pathToFileURL(outfile).href);
}

const checked = ({ strictObject, array, number }: Zod) =>
  strictObject({ at: array(number()), size: number().positive() }).safeParse(INVALID, { reportInput: true });

t.test("a check fails in a bundled program as it does in zod itself", async (t) => {
  const bundled = await bundledZod(t.testdir());
  const [ours, zods] = [checked(bundled), checked(z)];
  t.equal(ours.success, false);
  t.ok(ours.error instanceof bundled.ZodError);
  t.equal(ours.error?.message, zods.error?.message);
  t.same(ours.error?.issues, zods.error?.issues);
  t.equal(ours.error, ours.error, "the error is made once");
  t.equal(ours.data, undefined);
});

t.test("the failure has no accessor of its own, which would outlive it", async (t) => {
  const failed = checked(await bundledZod(t.testdir()));
  t.equal(Object.getOwnPropertyDescriptor(failed, "error"), undefined);
  failed.error = undefined as never;
  t.equal(failed.error, undefined, "what is set counts");
});

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

t.test("a program knows the way to the others, wherever lines are cut", async (t) => {
  for (const folder of ["runtime", "agent-client"]) {
    const files = await readdir(join("dist", folder, "parts"));
    for (const file of files.filter((name) => name.endsWith(".js"))) {
      const text = await readFile(join("dist", folder, "parts", file), "utf8");
      const cut = text.replaceAll("\\\n", "");
      t.notMatch(cut, /TENDRIL_ROOT/, file);
      for (const [, way = ""] of cut.matchAll(/new URL\("([^"]*)"\+"\/dist\//g))
        t.equal(way, "../../..", `${file} is three folders below the root`);
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
