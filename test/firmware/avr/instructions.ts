import { avrInstruction, type CPU } from "avr8js";

/** What one word of a program does, apart from going on to the next. */
type Instruction = (cpu: CPU, opcode: number) => void;

/** LDS, STS, CALL and JMP. */
const isTwoWords = (opcode: number): boolean =>
  [0x9000, 0x9200].includes(opcode & 0xfe0f) || [0x940e, 0x940c].includes(opcode & 0xfe0e);

const BRANCH = /^ {4}(?:else )?if \(((?:(?!\) \{$)[\s\S])*)\) \{\n([\s\S]*?)^ {4}\}$/gm;
const AROUND =
  "function avrInstruction(cpu) { const opcode = cpu.progMem[cpu.pc]; " +
  "cpu.pc = (cpu.pc + 1) % cpu.progMem.length; cpu.cycles++; }";

/**
 * avr8js finds an instruction by asking for one of a hundred after the other, for each step anew. Its own branches, each as a
 * function, in the order in which it asks.
 */
const branches = branchesOf(avrInstruction.toString());
/** By opcode, found when it first comes. */
const known = new Array<Instruction | undefined>(0x10000).fill(undefined);

/** One instruction, as `avrInstruction` does it. */
export function instruct(cpu: CPU, opcode: number): void {
  const instruction = known[opcode] ?? find(opcode);
  instruction(cpu, opcode);
  cpu.pc = (cpu.pc + 1) % cpu.progMem.length;
  cpu.cycles++;
}

function find(opcode: number): Instruction {
  const found = branches.find(({ is }) => is(opcode))?.instruction ?? (() => undefined);
  known[opcode] = found;
  return found;
}

function branchesOf(source: string) {
  const around = source.replaceAll(BRANCH, "").replaceAll(/\s+/g, " ");
  if (around !== AROUND) throw new Error(`avr8js is written in another way: look at it again: ${around}`);
  return [...source.matchAll(BRANCH)].map(([, condition, body]) => ({
    is: new Function("opcode", `return Boolean(${condition})`) as (opcode: number) => boolean,
    instruction: instructionOf(body ?? ""),
  }));
}

function instructionOf(body: string): Instruction {
  return new Function("isTwoWordInstruction", `return (cpu, opcode) => {${body}}`)(isTwoWords);
}
