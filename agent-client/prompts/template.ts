/** What the program fills in. */
const PLACEHOLDERS = ["plant_info", "current_time", "additional_context", "plant_history"] as const;
export type PromptValues = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>;
export type Template = (values: PromptValues) => string;

const TOKEN = /\{\{|\}\}|\{([^{}\n]*)\}|[{}]/g;

/**
 * A prompt with `{placeholders}`; `{{` and `}}` stand for braces. Throws at once for an unknown placeholder or a
 * lone brace: a prompt with a hole in it must not reach a model.
 */
export function compileTemplate(text: string): Template {
  for (const match of text.matchAll(TOKEN)) check(match, text);
  return (values) =>
    text.replace(TOKEN, (token, name?: string) => (isPlaceholder(name) ? values[name] : token.slice(1)));
}

function check({ 0: token, 1: name, index }: RegExpExecArray, text: string): void {
  if (token === "{{" || token === "}}" || isPlaceholder(name)) return;
  const line = text.slice(0, index).split("\n").length;
  const known = PLACEHOLDERS.map((each) => `{${each}}`).join(", ");
  const problem =
    name === undefined
      ? `a lone ${token}; write ${token}${token}`
      : `unknown placeholder ${token}; known: ${known}`;
  throw new Error(`prompt template, line ${line}: ${problem}`);
}

const isPlaceholder = (name: string | undefined): name is keyof PromptValues =>
  PLACEHOLDERS.some((known) => known === name);
