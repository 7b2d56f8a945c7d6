import type { FoundPassage } from "../../store/passage-index.js";

/** The kind of a passage and what it is called: "file: pump manual". */
export const sourceOf = ({ type, title }: Pick<FoundPassage, "type" | "title">): string =>
  title === "" ? type : `${type}: ${title}`;
