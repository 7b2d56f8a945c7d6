import t from "tap";
import { wiredRig } from "../../agent-client/agenda-rig.js";
import { WHOLE_HOUSE } from "../../contract/proper-answer.js";
import { CONTRACTS, listedName, listedNames, TOOL_CONTRACTS } from "../../services/contracts.js";
import { ERAS, sdkClient, WAYS } from "./fixture-rig.js";

const KEY = "tendril/toolsets";
const TOOLSETS = [...new Set([...CONTRACTS.values()].map(({ toolset }) => toolset))];

const LISTED = listedNames("agent");

/** The tools of one toolset that an agent may know of. */
const inToolset = (toolset: string): readonly string[] => {
  const families = [...CONTRACTS.values()].filter((family) => family.toolset === toolset);
  const names = new Set(families.flatMap(({ tools }) => Object.keys(tools).map(listedName)));
  return LISTED.filter((name) => names.has(name));
};

for (const way of WAYS) {
  for (const era of ERAS) {
    t.test(
      `a ${era} client over ${way} lists the toolsets that it names, and all without a name`,
      async (t) => {
        const wired = await wiredRig(t, { config: WHOLE_HOUSE });
        const served = { ...wired, http: wired.server.url.replace(/^ws/, "http") };
        const client = await sdkClient(t, served, way, era);
        const listed = async (toolsets?: unknown) => {
          const { tools } = await client.listTools(
            toolsets === undefined ? {} : { _meta: { [KEY]: toolsets } },
          );
          return tools.map(({ name }) => name).sort();
        };
        t.same(await listed(), LISTED);
        for (const toolset of TOOLSETS) t.same(await listed([toolset]), inToolset(toolset), toolset);
        t.same(await listed(TOOLSETS), await listed(), "together they are all");
        const care = LISTED.filter((name) => TOOL_CONTRACTS.get(name)?.inCare);
        t.same(await listed(["care"]), care);
        t.same(await listed([]), [], "none are named");
        await t.rejects(listed(["plants", "poetry"]), {
          code: -32602,
          message: /there is no toolset "poetry", only care, plants/,
        });
        for (const wrong of ["plants", [1], {}])
          await t.rejects(listed(wrong), { code: -32602, message: /is not a list of names/ });
      },
    );
  }
}
