/** Shorter ones are placeholders, as people give them to servers of their own; they would be found in every word. */
const SHORTEST = 8;
const HIDDEN = "[secret]";
/** However one gets in: a header that a server repeats, and the runtime's links, which open a photo without a token. */
const KNOWN_SHAPES: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${HIDDEN}`],
  [/([?&](?:signature|token|key|api_key)=)[^&"\\\s]+/gi, `$1${HIDDEN}`],
];

/** Takes secrets out of JSON text. Also where they stand escaped in it. */
export function withoutSecrets(secrets: readonly (string | undefined)[]): (json: string) => string {
  const known = secrets
    .map((secret) => secret?.trim() ?? "")
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (json) => {
    const without = known.reduce((text, secret) => text.replaceAll(secret, HIDDEN), json);
    return KNOWN_SHAPES.reduce((text, [shape, put]) => text.replace(shape, put), without);
  };
}
