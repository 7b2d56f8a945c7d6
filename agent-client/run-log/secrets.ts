import type { Runtime } from "../link/runtime.js";

/** Shorter ones are placeholders, as people give them to servers of their own; they would be found in every word. */
const SHORTEST = 8;
const HIDDEN = "[secret]";
/** However one gets in: a header that a server repeats, and the runtime's links, which open a photo without a token. */
const KNOWN_SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/([?&](?:signature|token|key|api_key)=)[^&"\\\s]+/gi, `$1${HIDDEN}`],
];

/** Takes secrets out of JSON text, and what looks like one. */
export function withoutSecrets(secrets: Secrets): (json: string) => string {
  const clean = withoutKnown(secrets);
  return (json) => KNOWN_SHAPES.reduce((text, [shape, put]) => text.replace(shape, put), clean(json));
}

type Secrets = readonly (string | undefined)[];

/** Takes these secrets out of JSON text. Also where they stand escaped in it. */
function withoutKnown(secrets: Secrets): (json: string) => string {
  const known = secrets
    .map((secret) => secret?.trim() ?? "")
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (json) => known.reduce((text, secret) => text.replaceAll(secret, HIDDEN), json);
}

/**
 * A runtime that is sent none of these secrets: a model's server that repeats its key, or a model that was talked into it, could
 * have them written into thoughts and messages. Links of photos pass, since a person is to open them.
 */
export function sentNoSecrets(runtime: Runtime, secrets: Secrets): Runtime {
  const clean = withoutKnown(secrets);
  const call: Runtime["call"] = (name, args, options) =>
    runtime.call(name, JSON.parse(clean(JSON.stringify(args))), options);
  return Object.create(runtime, { call: { value: call } });
}
