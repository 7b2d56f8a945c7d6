import type { Runtime } from "../link/runtime.js";

/** Shorter secrets are placeholders for own servers, and would match parts of words. */
const SHORTEST = 8;
const HIDDEN = "[secret]";
/** A header that a server repeats, and the runtime's links, which open a photo without a token. */
const KNOWN_SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/([?&](?:signature|token|key|api_key)=)[^&"\\\s]+/gi, `$1${HIDDEN}`],
];

/** Removes these secrets from JSON text, and everything that looks like one. */
export function withoutSecrets(secrets: Secrets): (json: string) => string {
  const clean = withoutKnown(secrets);
  return (json) => KNOWN_SHAPES.reduce((text, [shape, put]) => text.replace(shape, put), clean(json));
}

type Secrets = readonly (string | undefined)[];

/** Removes these secrets from JSON text, also escaped ones. */
function withoutKnown(secrets: Secrets): (json: string) => string {
  const known = secrets
    .map((secret) => secret?.trim() ?? "")
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (json) => known.reduce((text, secret) => text.replaceAll(secret, HIDDEN), json);
}

/**
 * A runtime that never receives these secrets: a server that repeats its key, or a manipulated model, could write them into
 * thoughts and messages. Links to photos pass, since a person shall open them.
 */
export function sentNoSecrets(runtime: Runtime, secrets: Secrets): Runtime {
  const clean = withoutKnown(secrets);
  const call: Runtime["call"] = (name, args, options) =>
    runtime.call(name, JSON.parse(clean(JSON.stringify(args))), options);
  return Object.create(runtime, { call: { value: call } });
}
