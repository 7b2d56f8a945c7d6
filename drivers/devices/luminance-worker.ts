import { parentPort, workerData } from "node:worker_threads";
import type { Frame } from "../ports.js";
import { judge } from "./luminance.js";

parentPort?.postMessage(judge(workerData as Frame));
