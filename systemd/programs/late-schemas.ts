import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Plugin } from "esbuild";

/**
 * Of the 5,000 schemas that are declared, a start needs a tenth. So a schema keeps what it was declared with, and zod makes the rest
 * of it when somebody first uses it. The first of each kind is made at once: zod furnishes the prototype of all others with it.
 */
export const lateSchemas: Plugin = {
  name: "late-schemas",
  setup({ onLoad }) {
    onLoad({ filter: /\/zod\/v4\/core\/(?:core|util)\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      return {
        contents: (CHANGES[basename(path)] ?? []).reduce((made, each) => changed(made, path, each), text),
      };
    });
  },
};

interface Change {
  readonly from: RegExp;
  readonly to: string;
}

function changed(text: string, path: string, { from, to }: Change): string {
  if (!from.test(text)) throw new Error(`${path} makes schemas in another way: look at it again`);
  return text.replace(from, () => to);
}

/** Where a schema keeps its declaration until it is made. */
const LATE = 'const LATE = Symbol.for("tendril.late");\n';

/** In place of zod's constructor of a kind, whose own body becomes `make`. */
const CONSTRUCTOR = `
    let first;
    function _(def) {
        if (params?.Parent) return make(newError(Definition), def);
        if (first) {
            this.def = def;
            this.type = def.type;
            this[LATE] = { def, parent: undefined };
        } else {
            first = make(this, def);
            const own = Reflect.ownKeys(first).filter((key) => !["_zod", "def", "type"].includes(key));
            Object.defineProperty(_.prototype, "_zod", { get: makeNow });
            for (const key of own) Object.defineProperty(_.prototype, key, lateValue(key));
        }
    }
    function makeNow() {
        const { def, parent } = this[LATE];
        this[LATE] = undefined;
        const internals = new Internals(def);
        Object.defineProperty(this, "_zod", { value: internals, enumerable: false });
        make(this, def);
        if (parent) internals.parent = parent;
        return internals;
    }
    function make(inst, def) {`;

const LATE_VALUE = `
const lateValue = (key) => ({
    get() {
        this._zod; // makes it, with its own value
        return Object.hasOwn(this, key) ? this[key] : undefined;
    },
    set(value) {
        Object.defineProperty(this, key, { configurable: true, writable: true, enumerable: true, value });
    },
});
`;

/** As zod's own, without making the schema or its copy. */
const CLONE = `
export function clone(inst, def, params) {
    const { [LATE]: late, constructor } = inst;
    const cl = late ? new constructor(def ?? late.def) : new inst._zod.constr(def ?? inst._zod.def);
    if (def && !params?.parent) return cl;
    if (cl[LATE]) cl[LATE].parent = inst;
    else cl._zod.parent = inst;
    return cl;
}`;

/** Zod gives a schema a copy of each method that is called on it, bound to it, for who takes the method without the schema: nobody here. */
const METHOD = `
function defineBound(proto, key, fn) {
    Object.defineProperty(proto, key, { configurable: true, writable: true, value: fn });
}`;

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  "core.js": [
    { from: /^const _zodDesc = /m, to: `${LATE}${LATE_VALUE}const _zodDesc = ` },
    {
      from: /^ {4}function _\(def\) \{\n {8}const inst = params\?\.Parent \? newError\(Definition\) : this;$/m,
      to: CONSTRUCTOR,
    },
  ],
  "util.js": [
    { from: /^export function clone\(inst, def, params\) \{$.*?^\}/ms, to: `${LATE}${CLONE}` },
    { from: /^function defineBound\(proto, key, fn\) \{$.*?^\}/ms, to: METHOD },
  ],
};
