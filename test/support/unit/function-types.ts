import ts from 'typescript';

const SOURCE = 'libs/elastic-job/src';

type Declaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration;

/**
 * Names of all functions that a user can give, by the types of what users give: `RunTracer.start`. It follows members,
 * elements and results, and leaves out what a user's function is given.
 * @param roots names of types
 */
export function functionsIn(roots: readonly string[]): readonly string[] {
  const declared = declarations();
  const found = new Set<string>();
  const seen = new Set<string>();

  const visitName = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const declaration of declared.get(name) ?? []) {
      if (ts.isTypeAliasDeclaration(declaration)) visitType(declaration.type, name);
      else for (const member of declaration.members) visitMember(member, name);
    }
  };
  const visitMember = (member: ts.Node, owner: string): void => {
    if (ts.isMethodSignature(member) || (ts.isMethodDeclaration(member) && isAbstract(member))) {
      found.add(`${owner}.${member.name.getText()}`);
      visitType(member.type, owner);
    } else if (ts.isPropertySignature(member)) visitType(member.type, `${owner}.${member.name.getText()}`);
  };
  const visitType = (node: ts.Node | undefined, path: string): void => {
    if (node === undefined) return;
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) visitName(node.typeName.text);
    if (ts.isFunctionTypeNode(node)) {
      found.add(path);
      visitType(node.type, path);
    } else if (ts.isTypeLiteralNode(node)) for (const member of node.members) visitMember(member, path);
    else ts.forEachChild(node, (child) => (ts.isTypeNode(child) ? visitType(child, path) : undefined));
  };

  for (const root of roots) {
    if (!declared.has(root)) throw new Error(`The library declares no ${root}.`);
    visitName(root);
  }
  return [...found].toSorted((a, b) => a.localeCompare(b));
}

function isAbstract(member: ts.MethodDeclaration): boolean {
  return member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) ?? false;
}

/** Types of the library's sources, by name. */
function declarations(): ReadonlyMap<string, readonly Declaration[]> {
  const declared = new Map<string, Declaration[]>();
  for (const file of ts.sys.readDirectory(SOURCE, ['.ts'])) {
    if (file.endsWith('spec.ts')) continue;
    const source = ts.createSourceFile(file, ts.sys.readFile(file) ?? '', ts.ScriptTarget.ES2023, true);
    for (const statement of source.statements) {
      const isType =
        ts.isInterfaceDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement) ||
        ts.isClassDeclaration(statement);
      if (!isType || statement.name === undefined) continue;
      declared.set(statement.name.text, [...(declared.get(statement.name.text) ?? []), statement]);
    }
  }
  return declared;
}
