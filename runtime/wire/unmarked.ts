/** A model's text without Markdown's marks for emphasis and headings: for the agent's log and the page. */
export const unmarked = (text: string): string => text.replaceAll(/\*\*|__|^#+ /gm, "");
