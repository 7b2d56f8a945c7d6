import { parentPort, workerData } from "node:worker_threads";
import type { Frame } from "../ports.js";
import { judge } from "./jpeg.js";

parentPort?.postMessage(judge(workerData as Frame));
