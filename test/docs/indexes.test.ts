import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";

for (const folder of ["docs", "docs/decisions"])
  t.test(`${folder}/README.md lists every page of its folder`, async (t) => {
    const index = readFileSync(join(folder, "README.md"), "utf8");
    const pages = readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md");
    t.same(
      pages.filter((name) => !index.includes(`](${name})`)),
      [],
    );
  });

t.test("the glossary has at most 15 terms", async (t) => {
  const glossary = readFileSync("docs/glossary.md", "utf8");
  const terms = [...glossary.matchAll(/^\| \*\*/gm)];
  t.ok(terms.length > 0 && terms.length <= 15, `${terms.length} terms`);
});
