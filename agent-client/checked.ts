import { InvalidArgumentError } from "commander";

/** Commander wants its own error to name the option. */
export const checked =
  <T>(parse: (text: string) => T) =>
  (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };
