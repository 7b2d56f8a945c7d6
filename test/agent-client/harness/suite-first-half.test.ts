import { promiseOrder } from "./suite-order.js";

promiseOrder(0, 2);
