import { parentPort, workerData } from "node:worker_threads";
import type { Frame } from "../ports.js";
import { measureLuminance } from "./jpeg.js";

parentPort?.postMessage(measureLuminance(workerData as Frame));
