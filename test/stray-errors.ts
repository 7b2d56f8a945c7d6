import { createRequire, syncBuiltinESMExports } from "node:module";

/**
 * `node --import` this before tap. tap follows every promise, timer and socket of a test, so that it can tell which test a
 * stray error belongs to; a quarter of what the suite costs is that. With this it follows none: a stray error ends the
 * process, and its part has failed. Alone (`npx tap dist/test/NAME.test.js`) a file is followed as ever.
 */
const hooks: typeof import("node:async_hooks") = createRequire(import.meta.url)("node:async_hooks");
const followsNothing = {
  enable: () => followsNothing,
  disable: () => followsNothing,
};
hooks.createHook = () => followsNothing;
syncBuiltinESMExports();
