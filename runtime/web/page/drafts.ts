import { useState } from "preact/hooks";

/** What was written and not sent yet, by the name of its field. In memory alone: the device keeps none of it. */
const drafts = new Map<string, string>();

/** The text of a field that outlives its view. Without a name it does not. */
export function useDraft(name: string | undefined, first = "") {
  const [text, setText] = useState((name === undefined ? undefined : drafts.get(name)) ?? first);
  const write = (next: string) => {
    if (name !== undefined) drafts.set(name, next);
    setText(next);
  };
  return [text, write] as const;
}
