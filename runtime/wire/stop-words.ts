const THINGS = "(?:everything|it all|all|all pumps|the pumps?|pumps?|the water|water|watering)";
const STOP = new RegExp(
  [
    "^(?:please )?",
    `(?:stop|halt|off|abort|emergency(?: stop)?|stop (?:it|this|now|${THINGS})|${THINGS} off`,
    `|(?:turn|switch|shut) ${THINGS} off|(?:turn|switch|shut) off ${THINGS}|(?:turn|switch|shut) it off)`,
    "(?: (?:now|please|at once|immediately|right now))*$",
  ].join(""),
);

/** Whether a message says nothing but that everything shall stop: then everything is switched off before anybody thinks. */
export const isStopWord = (text: string): boolean =>
  STOP.test(
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim(),
  );
