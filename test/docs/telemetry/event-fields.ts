import { readFileSync } from 'node:fs';
import ts from 'typescript';

const SOURCE = 'libs/elastic-job/src/tracing/job-event.ts';

/** The fields of each event beside its kind, as its type declares them. */
export function eventFields(): ReadonlyMap<string, readonly string[]> {
  const source = ts.createSourceFile(SOURCE, readFileSync(SOURCE, 'utf8'), ts.ScriptTarget.ES2023, true);
  const fields = new Map<string, readonly string[]>();
  for (const statement of source.statements) {
    if (!ts.isTypeAliasDeclaration(statement) || statement.name.text !== 'JobEvent') continue;
    if (!ts.isUnionTypeNode(statement.type)) throw new TypeError('JobEvent is no union any more.');
    for (const event of statement.type.types) fields.set(...fieldsOf(event));
  }
  return fields;
}

function fieldsOf(event: ts.TypeNode): [string, readonly string[]] {
  if (!ts.isTypeLiteralNode(event)) throw new TypeError(`${event.getText()} is no event as this script knows them.`);
  const properties = event.members.filter(ts.isPropertySignature);
  const kind = properties.find(({ name }) => name.getText() === 'kind')?.type?.getText() ?? '';
  const others = properties.map(({ name }) => name.getText()).filter((name) => name !== 'kind');
  return [kind.replaceAll("'", ''), others];
}
