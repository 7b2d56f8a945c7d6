import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import ts from "typescript";
import { z } from "zod";
import { LINK_ERRORS } from "../agent-client/errors.js";
import { CALL_REFUSALS } from "../agent-client/link/tools.js";
import { agentConfig } from "../agent-client/options/config.js";
import { DRIVER_ERRORS } from "../drivers/errors.js";
import {
  configurationKeys,
  configurationPage,
  errorsPage,
  fieldsOf,
  type Schema,
  toolsPage,
} from "../runtime/cli/reference-pages.js";
import { coreKeys } from "../runtime/config/schema.js";
import { CORE_ERRORS } from "../runtime/errors.js";
import type { ServiceModule } from "../runtime/services/module.js";
import { MODULES, RUNTIME_ERRORS, TOOLS } from "../runtime/services/modules.js";
import {
  importCycle,
  importsOf,
  loadedWith,
  nodesOf,
  type Source,
  sourcesIn,
  treeOf,
} from "./source-tree.js";
import { timeReadsIn } from "./time-readers.js";

/** What both ends of the wire agree upon, written once. */
const WIRE = "runtime/wire/";
/** How a file is replaced, a folder made and a system's error read: drivers, runtime and agent all do it. The agent imports no more of drivers. */
const FILES = ["drivers/durable-file.ts", "drivers/room-quantities.ts", "drivers/system-error.ts"] as const;
/** What each layer may import beside packages and itself: folders and files. */
const ARROWS = { drivers: [], runtime: ["drivers/"], "agent-client": [WIRE, ...FILES] } as const;
const LAYERS = Object.keys(ARROWS) as (keyof typeof ARROWS)[];
/** Runs runtime, bench and agent in one process: the one folder that knows them all, and that nobody else imports. */
const HARNESS = "agent-client/harness/";
const sources = sourcesIn(...LAYERS);
const layerOf = (path: string) => LAYERS.find((layer) => path.startsWith(`${layer}/`));

/** No file has any of what `found` finds; each that has is told. One assertion, since tap's thousands cost more than the rules. */
function inNone(t: Test, files: readonly Source[], found: (source: Source) => readonly string[]): void {
  t.same(
    files.flatMap((source) => found(source).map((each) => `${source.path}: ${each}`)),
    [],
  );
}

t.test(
  "imports never run against the arrow: drivers ← runtime; the agent imports runtime/wire and how files are written",
  async (t) => {
    for (const layer of LAYERS) {
      const allowed: readonly string[] = [`${layer}/`, ...ARROWS[layer]];
      const own = sources.filter(({ path }) => layerOf(path) === layer && !path.startsWith(HARNESS));
      t.ok(own.length > 5, `${own.length} files in ${layer}`);
      inNone(t, own, (source) => foreign(source, allowed));
    }
  },
);

/** The packages that one file each of the wire may import. */
const WIRE_PACKAGES: Readonly<Record<string, string>> = {
  [`${WIRE}cron.ts`]: "node-cron",
  [`${WIRE}dns-message.ts`]: "dns-packet",
  [`${WIRE}yaml-file.ts`]: "yaml",
  [`${WIRE}html.ts`]: "parse5",
};

const OF_DRIVERS = ["drivers/units.ts", "drivers/room-quantities.ts"];

t.test(
  "the wire imports zod, node's own modules, drivers/units.ts and drivers/room-quantities.ts; one file codes DNS, one reads YAML, one HTML",
  async (t) => {
    const wire = sources.filter(({ path }) => path.startsWith(WIRE));
    t.ok(wire.length > 5, `${wire.length} files in ${WIRE}`);
    for (const source of wire) {
      const isKnown = (name: string) => name === "zod" || name.startsWith("node:") || name.startsWith(WIRE);
      const others = importsOf(source).filter((name) => !isKnown(name) && !OF_DRIVERS.includes(name));
      const own = WIRE_PACKAGES[source.path];
      t.same(others, own === undefined ? [] : [own], source.path);
    }
  },
);

t.test(
  "an agent's programs are made of agent, wire and three small files of drivers, without sqlite3",
  async (t) => {
    const programs = sources.filter(
      ({ path }) => path.startsWith("agent-client/") && path.endsWith("/main.ts"),
    );
    const used = reachedFrom(programs.filter(({ path }) => !path.startsWith(HARNESS)));
    const others = [...used].filter((name) => name.endsWith(".ts") && !name.startsWith("agent-client/"));
    t.same(others.filter((name) => !name.startsWith(WIRE)).sort(), [...FILES]);
    for (const name of ["sqlite3", "onoff", "i2c-bus", "serialport"]) t.notOk(used.has(name), name);
    t.ok(used.has("zod") && used.has("ws"), `${used.size} files and packages`);
  },
);

/** The files and packages that these files import, directly or by others. */
function reachedFrom(first: readonly Source[], imported = importsOf): ReadonlySet<string> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const reached = new Set<string>();
  const open = [...first];
  for (let source = open.pop(); source; source = open.pop())
    for (const name of imported(source).filter((each) => !reached.has(each))) {
      reached.add(name);
      const next = byPath.get(name);
      if (next) open.push(next);
    }
  return reached;
}

t.test("the harness may import every layer, and no layer imports the harness", async (t) => {
  const harness = sources.filter(({ path }) => path.startsWith(HARNESS));
  t.ok(harness.length > 5, `${harness.length} files in ${HARNESS}`);
  const layers = LAYERS.map((layer) => `${layer}/`);
  inNone(t, harness, (source) => foreign(source, layers));
  const others = sources.filter((each) => !harness.includes(each));
  inNone(t, others, (source) => importsOf(source).filter((name) => name.startsWith(HARNESS)));
});

/** Inside the runtime: what each room may import beside itself, the drivers, and files that stand in no room. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  safety: [],
  store: [],
  config: ["wire"],
  "time-words": ["wire"],
  tools: ["wire", "store", "time-words"],
  services: ["wire", "tools", "store", "safety", "config", "time-words"],
  server: ["wire", "tools", "store"],
  web: ["wire"],
};

/** `runtime/store/store.ts` is in "store", `runtime/main.ts` in none. */
const roomOf = (path: string): string | undefined => /^runtime\/([^/]+)\//.exec(path)?.[1];

t.test("inside the runtime imports go one way: wire ← config, tools ← services, server", async (t) => {
  for (const [room, allowed] of Object.entries(ROOMS)) {
    const own = sources.filter(({ path }) => roomOf(path) === room);
    t.ok(own.length > 0, `${own.length} files in ${room}`);
    inNone(t, own, (source) => {
      const rooms = importsOf(source).flatMap((name) => roomOf(name) ?? []);
      return rooms.filter((name) => name !== room && !allowed.includes(name));
    });
  }
});

/** A program of its own, beside the runtime: it speaks to the Internet, and the process that holds the pump does not. */
const BRIDGE = "runtime/bridge/";
/** What it shares with the runtime: the wire, time and its units, how an error reads, one thing at a time, the clocks of a zone. */
const BRIDGE_MAY = [
  BRIDGE,
  WIRE,
  "drivers/ports.ts",
  "drivers/units.ts",
  "drivers/mutex.ts",
  "drivers/system-error.ts",
  "drivers/clock/system-clock.ts",
  "drivers/clock/waiting.ts",
  "runtime/time-words/wall-time.ts",
];

t.test("the bridge imports the wire and seven small files, and nobody imports the bridge", async (t) => {
  const bridge = sources.filter(({ path }) => path.startsWith(BRIDGE));
  t.ok(bridge.length > 5, `${bridge.length} files in ${BRIDGE}`);
  inNone(t, bridge, (source) => foreign(source, BRIDGE_MAY));
  const others = sources.filter((each) => !bridge.includes(each));
  inNone(t, others, (source) => importsOf(source).filter((name) => name.startsWith(BRIDGE)));
});

t.test("of the runtime, the bridge alone opens connections to the outside", async (t) => {
  const CLIENTS = [
    "node:http",
    "node:https",
    "node:http2",
    "node:tls",
    "node:net",
    "node:dns",
    "node:dgram",
    "undici",
  ];
  const SERVERS = /^runtime\/(network\.ts|(server|discovery|wire|cli|doctor|transfer)\/)/;
  const services = sources.filter(({ path }) => path.startsWith("runtime/") && !SERVERS.test(path));
  const others = services.filter(({ path }) => !path.startsWith(BRIDGE));
  inNone(t, others, ({ text }) => {
    const imported = [...text.matchAll(/from "([^"]+)"/g)].map(([, name = ""]) => name);
    return imported.filter((name) =>
      CLIENTS.some((client) => name === client || name.startsWith(`${client}/`)),
    );
  });
  inNone(t, others, ({ text }) => text.match(/\bfetch\(["'`(]/) ?? []);
});

/** They put everything together, so nothing below them may know them. */
const COMPOSITION = ["runtime/main.ts", "runtime/core.ts", "runtime/configuration.ts"];

t.test("what puts the runtime together is imported by no room of it", async (t) => {
  const inRooms = sources.filter(({ path }) => roomOf(path) !== undefined && (roomOf(path) ?? "") in ROOMS);
  inNone(t, inRooms, (source) => importsOf(source).filter((name) => COMPOSITION.includes(name)));
});

t.test("every code that a module throws is in its list of errors, and so in docs/errors.md", async (t) => {
  const tables = sources.filter(({ path }) => path.startsWith("runtime/services/")).flatMap(errorTablesIn);
  // the modules that nobody removes have as many: fewer, and the pattern above no longer finds them
  t.ok(tables.length >= 7, `${tables.length} tables`);
  for (const { path, codes } of tables)
    t.same(
      codes.filter((code) => !(code in RUNTIME_ERRORS)),
      [],
      path,
    );
});

/** The codes of each `errorTable({ … })` of a file. */
const errorTablesIn = ({ path, text }: Source) =>
  [...text.matchAll(/errorTable\(\{([\s\S]*?)\n\}\)/g)].map(([, table = ""]) => ({
    path,
    codes: [...table.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, code = ""]) => code),
  }));

t.test("two modules never share a key of the configuration, a code, a tool or a journal", async (t) => {
  const each = (pick: (module: ServiceModule) => readonly string[]) => {
    const all = MODULES.flatMap(pick);
    t.same(
      all.filter((name, at) => all.indexOf(name) !== at),
      [],
    );
    return all;
  };
  each(({ name }) => [name]);
  const keys = each(({ config }) => Object.keys(config ?? {}));
  t.same(
    keys.filter((key) => key in coreKeys || key === "modules"),
    [],
  );
  const codes = each(({ errors }) => Object.keys(errors ?? {}));
  t.same(
    codes.filter((code) => code in CORE_ERRORS || code in DRIVER_ERRORS),
    [],
  );
  each(({ tools }) => tools.map(({ name }) => name));
  each(({ journals }) => (journals ?? []).map(({ definition }) => definition.name));
});

/** Imported files outside the allowed folders and files. */
function foreign(source: Source, allowed: readonly string[]): string[] {
  const files = importsOf(source).filter((name) => name.endsWith(".ts"));
  return files.filter((name) => !allowed.some((each) => name.startsWith(each)));
}

t.test(
  "the bench and what is wired to a Pi know nothing of each other, and each is loaded alone",
  async (t) => {
    for (const [from, to] of [
      ["bench", "pi"],
      ["pi", "bench"],
    ].map((pair) => pair.map((name) => `drivers/${name}/`)))
      inNone(
        t,
        sources.filter(({ path }) => path.startsWith(from ?? "")),
        (source) => importsOf(source).filter((name) => name.startsWith(to ?? "")),
      );
    const statically = /^import .*"\.\/(bench|pi)\//m;
    t.notMatch(readFileSync("drivers/open-board.ts", "utf8"), statically);
  },
);

t.test("a start loads no MCP SDK, no ws and no TLS: they are loaded when somebody needs them", async (t) => {
  const start = sources.filter(({ path }) => path === "runtime/cli/serve.ts");
  const loaded = reachedFrom(start, loadedWith);
  t.ok(loaded.has("zod") && loaded.has("node:http") && loaded.has("runtime/services/modules.ts"));
  t.same(
    [...loaded].filter((name) => /^@modelcontextprotocol\/|^ws$|^node:(?:tls|https)$/.test(name)),
    [],
  );
});

t.test("every import is of a file that is there", async (t) => {
  const isThere = new Map<string, boolean>();
  const isMissing = (file: string) => {
    const known = isThere.get(file) ?? existsSync(file);
    isThere.set(file, known);
    return !known;
  };
  inNone(t, sources, (source) => importsOf(source).filter((name) => name.endsWith(".ts") && isMissing(name)));
});

t.test("no chain of imports leads back to where it began", async (t) => {
  t.same(importCycle(sources), undefined);
});

t.test("only the clocks read time or set timers", async (t) => {
  const clocks = (path: string) =>
    path.startsWith("drivers/clock/") ||
    path === "agent-client/clock.ts" ||
    path === `${PAGE}browser-clock.ts`;
  const others = sources.filter(({ path }) => !clocks(path));
  inNone(t, others, timeReadsIn);
  const found = sources.filter(({ path }) => clocks(path)).flatMap(timeReadsIn);
  t.ok(found.includes("Date.now") && found.includes("process.hrtime"), `in the clocks: ${found.join(", ")}`);
});

t.test("one file knows the sqlite3 package, and only tests know a test library", async (t) => {
  const importers = (name: string) => sources.filter((source) => importsOf(source).includes(name));
  t.same(
    importers("sqlite3").map(({ path }) => path),
    ["runtime/store/database.ts"],
  );
  for (const name of ["tap", "fast-check", "typescript"]) t.same(importers(name), []);
});

/** What browsers run: bundled, so what it uses of others is no dependency of an installed runtime. */
const PAGE = "runtime/web/page/";

t.test(
  "the page is made of itself, the wire's types and names, the table of what rooms' sensors measure, preact and uplot",
  async (t) => {
    const page = sources.filter(({ path }) => path.startsWith(PAGE));
    t.ok(page.length > 10, `${page.length} files in ${PAGE}`);
    inNone(t, page, (source) => {
      const others = importsOf(source).filter(
        (name) => !name.startsWith(PAGE) && !name.startsWith(WIRE) && name !== "drivers/room-quantities.ts",
      );
      return others.filter((name) => !["preact", "uplot"].includes(packageOf(name)));
    });
  },
);

t.test("text of models, people and devices gets into the page as text alone", async (t) => {
  const makesMarkup =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerously|\beval\b|new Function/;
  for (const { path, text } of sources.filter((source) => source.path.startsWith(PAGE)))
    t.notMatch(text, makesMarkup, path);
});

t.test(
  "the page keeps nothing in the browser's stores but the choice of a language, and doses without an answer",
  async (t) => {
    const choice =
      /localStorage\.(?:getItem\(CHOICE\)|setItem\(CHOICE, language\)|\w+\(DOSE \+ whose(?:, JSON\.stringify\(dose\))?\))/g;
    for (const { path, text } of sources.filter((source) => source.path.startsWith(PAGE)))
      t.notMatch(text.replace(choice, ""), /localStorage|sessionStorage|indexedDB|document\.cookie/, path);
  },
);

t.test("the code imports the packages that are declared, and nothing else", async (t) => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const declared = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
  const packages = sources
    .filter(({ path }) => !path.startsWith(PAGE))
    .flatMap(importsOf)
    .filter((name) => !name.endsWith(".ts") && !name.startsWith("node:"));
  for (const name of new Set(packages)) t.ok(declared.includes(packageOf(name)), name);
});

const packageOf = (name: string): string =>
  name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");

/** Written so that it does not match itself. */
const LOOSE_WORDS = /@ts-(ignore|nocheck)|biome-ignor[e]|\bTOD[O]\b/;

/** A file without any of these need not be parsed. The formatter leaves no blank before such a `!`. */
const MAY_CAST = /\bany\b|[^\s(]!/;

const castsIn = (tree: ts.SourceFile): string[] =>
  nodesOf(tree)
    .filter((node) => ts.isNonNullExpression(node) || node.kind === ts.SyntaxKind.AnyKeyword)
    .map((node) => node.getText(tree));

t.test("nobody casts a mistake away: no any, no !, no switched-off check", async (t) => {
  const all = [...sources, ...sourcesIn("test")];
  inNone(t, all, (source) => (MAY_CAST.test(source.text) ? castsIn(treeOf(source)) : []));
  inNone(t, all, ({ text }) => text.match(LOOSE_WORDS) ?? []);
});

const TOP_FOLDERS = ["drivers", "runtime", "agent-client", "firmware", "systemd", "test", "docs", ".ci"];
const NOT_IN_GIT = [
  ".git",
  ...readFileSync(".gitignore", "utf8")
    .split("\n")
    .map((line) => line.replace(/\/$/, "")),
];

t.test("no top-level folder beside those of the design", async (t) => {
  const folders = readdirSync(".", { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const found = folders.map(({ name }) => name).filter((name) => !NOT_IN_GIT.includes(name));
  t.same(
    found.filter((name) => !TOP_FOLDERS.includes(name)),
    [],
  );
});

t.test("docs/tools.md is what the declarations say (npm run docs)", async (t) => {
  t.equal(readFileSync("docs/tools.md", "utf8"), toolsPage(TOOLS));
});

t.test(
  "docs/configuration-keys.md has every key of tendril.yaml, each with what it is for (npm run docs)",
  async (t) => {
    t.equal(readFileSync("docs/configuration-keys.md", "utf8"), configurationPage());
    t.same(
      configurationKeys().flatMap(({ path, description }) => (description ? [] : [path])),
      [],
    );
  },
);

t.test("docs/agent.md has every key of the agent's configuration", async (t) => {
  const page = readFileSync("docs/agent.md", "utf8");
  const keys = fieldsOf(
    z.toJSONSchema(agentConfig, { target: "draft-7", io: "input", unrepresentable: "any" }) as Schema,
  ).map(({ path }) => path.split(".").at(-1) ?? "");
  t.ok(keys.length > 20, `${keys.length} keys`);
  t.same(
    keys.filter((key) => !new RegExp(`\\b${key}\\b`).test(page)),
    [],
  );
});

t.test("docs/errors.md has every code there is (npm run docs)", async (t) => {
  const page = readFileSync("docs/errors.md", "utf8");
  t.equal(page, errorsPage({ link: LINK_ERRORS, calls: CALL_REFUSALS }));
  const tables = [
    ...Object.keys({ ...RUNTIME_ERRORS, ...DRIVER_ERRORS }),
    ...Object.keys(LINK_ERRORS),
    ...Object.keys(CALL_REFUSALS),
  ];
  for (const code of [...tables, ...codesThrown()]) t.ok(page.includes(`| \`${code}\` |`), code);
});

/** Codes as errors are made with them, whatever table they are from. */
const codesThrown = (): Set<string> =>
  new Set(
    sources.flatMap(({ text }) =>
      [...text.matchAll(/(?:Error|refused)\(\s*"([A-Z][A-Z_]+)"/g)].map(([, code = ""]) => code),
    ),
  );

const PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...pagesIn("docs")];
function pagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}

/** Where a path in a page may begin. */
const ROOTS = [".", "firmware", "drivers", "runtime", "agent-client", "agent-client/harness", "test", "docs"];
/** In the state folder, built, or not of this project. */
const ELSEWHERE =
  /^(\.?\/|~|STATE\/|tokens(-scoped)?\/|journal\/|dist\/|out\/|tools\/(call|list)|@|\w+:)|[<>{}*A-Z]{2}|<|tendril\.(yaml|sqlite)/;

t.test("every path that a page names is there", async (t) => {
  for (const page of PAGES) {
    const text = readFileSync(page, "utf8").replace(/```[\s\S]*?```/g, "");
    const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map(([, path = ""]) => path).filter(isPath);
    const linked = [...text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path);
    for (const path of quoted)
      t.ok(
        ROOTS.some((root) => existsSync(join(root, path))),
        `${page}: ${path}`,
      );
    for (const path of linked) t.ok(existsSync(join(page, "..", path)), `${page} links to ${path}`);
  }
});

const isPath = (word: string): boolean =>
  /^[\w.-]+(\/[\w.-]+)*\/?$/.test(word) &&
  /\/|\.(ts|md|json|sh|sqlite|csv)$/.test(word) &&
  !ELSEWHERE.test(word);
