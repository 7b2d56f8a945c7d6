const { existsSync } = require("node:fs");
const { join } = require("node:path");

/**
 * In the package this stands for `bindings` and `node-gyp-build`. `asked` is the file's name, or the folder of the one
 * package that names none. A native that was made for any Node is in any-node/, the others are in a folder for each
 * NODE_MODULE_VERSION, which natives/rebuild-natives of the package adds to.
 */
module.exports = (asked) => {
  const name = asked.endsWith(".node") ? asked : "serialport.node";
  const natives = join(__dirname, TENDRIL_ROOT, "natives");
  const places = ["any-node", `node-v${process.versions.modules}`].map((folder) =>
    join(natives, folder, name),
  );
  const place = places.find((path) => existsSync(path));
  if (place !== undefined) return require(place);
  throw new Error(
    `${name} was not built for Node ${process.version}: run "sudo ${natives}/rebuild-natives", which says what it needs`,
  );
};
