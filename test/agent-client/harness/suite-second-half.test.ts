import { promiseOrder } from "./suite-order.js";

promiseOrder(1, 2);
