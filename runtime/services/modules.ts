import { CORE_ERRORS, type ErrorKind } from "../errors.js";
import type { MissingTool } from "../tools/registry.js";
import type { Tool } from "../tools/tool.js";
import { actionsModule } from "./actions/index.js";
import { approvalsModule } from "./approvals/index.js";
import { benchModule } from "./bench/index.js";
import { bridgeModule } from "./bridge/index.js";
import { calendarModule } from "./calendar/index.js";
import { calendarsModule } from "./calendars/index.js";
import { cameraModule } from "./camera/index.js";
import { channelsModule } from "./channels/index.js";
import { chatsModule } from "./chats/index.js";
import { climateModule } from "./climate/index.js";
import { costsModule } from "./costs/index.js";
import { homeModule } from "./home/index.js";
import { householdModule } from "./household/index.js";
import { inputsModule } from "./inputs/index.js";
import { knowledgeModule } from "./knowledge/index.js";
import { lightModule } from "./light/index.js";
import { listsModule } from "./lists/index.js";
import { mailModule } from "./mail/index.js";
import { memoryModule } from "./memory/index.js";
import { metricsModule } from "./metrics/index.js";
import type { ServiceModule } from "./module.js";
import { moistureModule } from "./moisture/index.js";
import { mqttModule } from "./mqtt/index.js";
import { outagesModule } from "./outages/index.js";
import { outboxModule } from "./outbox/index.js";
import { peopleModule } from "./people/index.js";
import { plannerModule } from "./planner/index.js";
import { plantStatusModule } from "./plant-status/index.js";
import { thinkingModule } from "./thinking/index.js";
import { timeModule } from "./time/index.js";
import { turnsModule } from "./turns/index.js";
import { waterModule } from "./water/index.js";
import { webModule } from "./web/index.js";
import { weeklyModule } from "./weekly/index.js";

/**
 * Every family of services. A new one is a folder beside this file and a line here. `tools/list` has this order. So
 * have the consequences of lost journals: water, light, then what people have forbidden.
 */
export const MODULES = [
  plantStatusModule,
  moistureModule,
  outagesModule,
  waterModule,
  lightModule,
  cameraModule,
  thinkingModule,
  actionsModule,
  householdModule,
  plannerModule,
  listsModule,
  // after those whose records memories can be
  memoryModule,
  knowledgeModule,
  calendarModule,
  turnsModule,
  chatsModule,
  timeModule,
  peopleModule,
  outboxModule,
  bridgeModule,
  calendarsModule,
  webModule,
  homeModule,
  mailModule,
  channelsModule,
  mqttModule,
  approvalsModule,
  inputsModule,
  metricsModule,
  climateModule,
  benchModule,
  costsModule,
  weeklyModule,
] as const;

/** The part of the configuration that says which modules are on. */
type Switched = Readonly<Record<string, unknown>> & { readonly modules: Readonly<Record<string, boolean>> };

/** The modules that are not switched off and have something to do. */
export const modulesOn = (config: Switched): readonly ServiceModule[] =>
  MODULES.filter(
    (module: ServiceModule) => config.modules[module.name] !== false && (module.isNeeded?.(config) ?? true),
  );

/** The others. */
export const modulesOff = (config: Switched): readonly ServiceModule[] => {
  const on = modulesOn(config);
  return MODULES.filter((module) => !on.includes(module));
};

/** Why each tool of the other modules is missing. */
export function toolsOff(config: Switched): ReadonlyMap<string, MissingTool> {
  return new Map(
    modulesOff(config).flatMap(({ name, tools }) =>
      tools.map((tool) => [
        tool.name,
        config.modules[name] === false
          ? {
              family: name,
              isOff: true,
              why: `is switched off in the configuration: modules: { ${name}: false }`,
            }
          : { family: name, isOff: false, why: `needs \`${name}:\` in the configuration` },
      ]),
    ),
  );
}

/** Whether a module that is on gets something from outside, so that a bridge must run. */
export const needsBridge = (config: Switched): boolean =>
  modulesOn(config).some((module) => module.needsBridge?.(config) ?? false);

export const toolsOf = (modules: readonly ServiceModule[]): readonly Tool[] =>
  modules.flatMap(({ tools }) => tools);

export const RUNTIME_ERRORS: Readonly<Record<string, ErrorKind>> = Object.assign(
  {},
  CORE_ERRORS,
  ...MODULES.map(({ errors }: ServiceModule) => errors),
);

/** Every tool, whatever the configuration says. */
export const TOOLS: readonly Tool[] = toolsOf(MODULES);
