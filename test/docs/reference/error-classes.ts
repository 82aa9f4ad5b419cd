import ts from 'typescript';
import type { Source } from './source.js';

/** An error of the library, as its class and its docstring say. */
export interface ErrorClass {
  readonly code: string;
  readonly name: string;
  /** The entry of the package that exports it; undefined: none does. */
  readonly entry: string | undefined;
  readonly problem: string;
  /** The text of `@remarks`. */
  readonly remedy: string | undefined;
  /** The forms of its message. */
  readonly messages: readonly string[];
}

/** The classes with a `code` that is a word. */
export function findErrors(source: Source): readonly ErrorClass[] {
  const classes = source.ownFiles.flatMap(({ statements }) => statements.filter(ts.isClassDeclaration));
  return classes.flatMap((declaration) => {
    const code = codeOf(declaration);
    const symbol = declaration.name && source.checker.getSymbolAtLocation(declaration.name);
    if (code === undefined || symbol === undefined) return [];
    const { text, tags } = source.docOf(symbol);
    return [
      {
        code,
        name: symbol.name,
        entry: source.entryOf(symbol),
        problem: text,
        remedy: tags.get('remarks'),
        messages: messagesOf(declaration),
      },
    ];
  });
}

function codeOf({ members, heritageClauses }: ts.ClassDeclaration): string | undefined {
  if (heritageClauses === undefined) return undefined;
  const field = members.filter(ts.isPropertyDeclaration).find(({ name }) => name.getText() === 'code');
  return field?.initializer !== undefined && ts.isStringLiteral(field.initializer) ? field.initializer.text : undefined;
}

function messagesOf(declaration: ts.ClassDeclaration): readonly string[] {
  const constructor = declaration.members.find(ts.isConstructorDeclaration);
  const statements = constructor?.body?.statements ?? [];
  const call = statements.flatMap((statement) => {
    const { expression } = ts.isExpressionStatement(statement) ? statement : {};
    return expression !== undefined && ts.isCallExpression(expression) && isSuper(expression) ? [expression] : [];
  })[0];
  const [argument] = call?.arguments ?? [];
  return argument === undefined ? [] : [...new Set(formsOf(argument))];
}

function isSuper({ expression }: ts.CallExpression): boolean {
  return expression.kind === ts.SyntaxKind.SuperKeyword;
}

/** Most forms that a message of several choices is shown in. */
const MOST_FORMS = 4;

/** The texts that an expression can make. `{name}` stands for a value, `…` for what cannot be told from the code. */
function formsOf(node: ts.Expression): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map(({ expression, literal }) => placeholderOf(expression) + literal.text);
    return [node.head.text + spans.join('')];
  }
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [formsOf(node.left), formsOf(node.right)];
    return left.flatMap((begin) => right.map((end) => begin + end)).slice(0, MOST_FORMS);
  }
  if (ts.isConditionalExpression(node)) return [...formsOf(node.whenTrue), ...formsOf(node.whenFalse)];
  if (ts.isParenthesizedExpression(node)) return formsOf(node.expression);
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) return returnsOf(node, node.expression.text);
  return ts.isIdentifier(node) ? localOf(node) : ['…'];
}

/** The texts that a function of the same file returns. */
function returnsOf(call: ts.CallExpression, name: string): readonly string[] {
  const { statements } = call.getSourceFile();
  const called = statements.filter(ts.isFunctionDeclaration).find((one) => one.name?.text === name);
  const forms: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression !== undefined) forms.push(...formsOf(node.expression));
    else ts.forEachChild(node, visit);
  };
  if (called?.body !== undefined) visit(called.body);
  return forms.length === 0 ? ['…'] : forms;
}

/** The text of a constant of the same constructor; of a parameter its name. */
function localOf(node: ts.Identifier): readonly string[] {
  let scope: ts.Node = node;
  while (!ts.isConstructorDeclaration(scope) && !ts.isSourceFile(scope)) scope = scope.parent;
  const statements = ts.isConstructorDeclaration(scope) ? (scope.body?.statements ?? []) : [];
  const constants = statements.flatMap((one) => (ts.isVariableStatement(one) ? one.declarationList.declarations : []));
  const found = constants.find(({ name }) => name.getText() === node.text)?.initializer;
  return found === undefined ? [`{${node.text}}`] : formsOf(found);
}

function placeholderOf(node: ts.Expression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const [only, ...others] = localOf(node);
    return others.length === 0 && only !== undefined ? only : '…';
  }
  return ts.isPropertyAccessExpression(node) ? `{${node.name.text}}` : '…';
}
