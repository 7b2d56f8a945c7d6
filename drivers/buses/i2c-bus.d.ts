/** What Tendril uses of the package, which brings no types of its own. */
declare module "i2c-bus" {
  export interface PromisifiedBus {
    i2cFuncs(): Promise<unknown>;
    readWord(address: number, command: number): Promise<number>;
    writeWord(address: number, command: number, word: number): Promise<void>;
    i2cRead(address: number, length: number, buffer: Buffer): Promise<{ readonly bytesRead: number }>;
    i2cWrite(address: number, length: number, buffer: Buffer): Promise<{ readonly bytesWritten: number }>;
    close(): Promise<void>;
  }
  const i2cBus: { openPromisified(busNumber: number): Promise<PromisifiedBus> };
  export default i2cBus;
}
