import ts from "typescript";

/** The small mistakes of `run.ts`, by rule: what a person mistypes, forgets, or leaves out. */

export interface Mistake {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

/** Operators, and what they are mistaken for. */
const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&&": ["||"],
  "||": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "??": ["&&"],
  "+=": ["-="],
};
const NAMES: Readonly<Record<string, string>> = { min: "max", max: "min", some: "every", every: "some" };
/** "NO_CYCLE". */
const CODE = /^[A-Z]+(_[A-Z]+)+$/;

/** All mistakes that a file can have, in the order of its text. */
export function mistakesIn(file: ts.SourceFile): readonly Mistake[] {
  const found: Mistake[] = [];
  const visit = (node: ts.Node): void => {
    for (const [part, instead] of mistakesAt(node))
      found.push({ start: part.getStart(file), end: part.getEnd(), instead });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

type Replaced = readonly [part: ts.Node, instead: string];

function mistakesAt(node: ts.Node): readonly Replaced[] {
  if (ts.isBinaryExpression(node)) return mistakenOperator(node);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [[node, `(${node.operand.getText()})`]];
  if (ts.isAwaitExpression(node)) return [[node, `(${node.expression.getText()})`]];
  if (ts.isIfStatement(node)) return [...negated(node.expression), ...withoutGuard(node)];
  if (ts.isConditionalExpression(node)) return negated(node.condition);
  if (ts.isExpressionStatement(node)) return [[node, ";"]];
  if (ts.isFunctionLike(node)) return endedEarly(node);
  if (ts.isCallExpression(node)) return swapped(node);
  if (ts.isPropertyAccessExpression(node)) return mistakenName(node.name);
  return mistakenConstant(node);
}

function mistakenOperator({ operatorToken, left }: ts.BinaryExpression): readonly Replaced[] {
  const others = OPERATORS[operatorToken.getText()] ?? [];
  const mistaken = others.map((other): Replaced => [operatorToken, other]);
  const isDefault = operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken;
  return isDefault ? [...mistaken, [operatorToken.parent, `(${left.getText()})`]] : mistaken;
}

/** A condition of an operator has the operator's mistakes. */
function negated(condition: ts.Expression): readonly Replaced[] {
  const hasOwn = ts.isBinaryExpression(condition) || ts.isPrefixUnaryExpression(condition);
  return hasOwn ? [] : [[condition, `!(${condition.getText()})`]];
}

/** What stands under a condition alone is forgotten: a guard's throw, return or call. */
function withoutGuard(node: ts.IfStatement): readonly Replaced[] {
  return node.elseStatement === undefined ? [[node, ";"]] : [];
}

/** A function of several statements returns before the first. */
function endedEarly(node: ts.SignatureDeclaration): readonly Replaced[] {
  const body = "body" in node ? node.body : undefined;
  if (body === undefined || !ts.isBlock(body) || ts.isConstructorDeclaration(node)) return [];
  return body.statements.length < 2 ? [] : [[body, "{ return; }"]];
}

/** Two arguments beside each other that look alike. The order of `Math.min` means nothing. */
function swapped({ expression, arguments: all }: ts.CallExpression): readonly Replaced[] {
  const called = expression.getText();
  if (called.startsWith("Math.")) return [];
  return all.flatMap((one, index): readonly Replaced[] => {
    const next = all[index + 1];
    if (next?.kind !== one.kind || ts.isFunctionLike(one)) return [];
    const texts = all.map((each) => each.getText());
    texts.splice(index, 2, next.getText(), one.getText());
    return [[one.parent, `${called}(${texts.join(", ")})`]];
  });
}

function mistakenName(name: ts.MemberName): readonly Replaced[] {
  const other = Object.hasOwn(NAMES, name.text) ? NAMES[name.text] : undefined;
  return other === undefined ? [] : [[name, other]];
}

function mistakenConstant(node: ts.Node): readonly Replaced[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, "false"]];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, "true"]];
  if (ts.isStringLiteral(node) && CODE.test(node.text)) return [[node, `"MISTAKEN_CODE"`]];
  if (!ts.isNumericLiteral(node) || ts.isVoidExpression(node.parent)) return [];
  const value = Number(node.text);
  return [value + 1, ...(value === 0 ? [] : [value * 10, 0])].map((other) => [node, String(other)]);
}
