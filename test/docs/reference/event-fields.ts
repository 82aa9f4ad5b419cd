import { readFileSync } from 'node:fs';
import ts from 'typescript';

const FOLDER = 'libs/elastic-job/src/tracing';
/** The unions of events, and the files that declare them. */
const UNIONS: ReadonlyMap<string, string> = new Map([
  ['JobEvent', 'job-event.ts'],
  ['FailoverEvent', 'execution-event.ts'],
  ['TaskEvent', 'execution-event.ts'],
]);

/** The fields of each event beside its kind, as its type declares them. */
export function eventFields(): ReadonlyMap<string, readonly string[]> {
  return new Map(eventsOf('JobEvent').map(fieldsOf));
}

/** The members of a union, and of those that are its members. */
function eventsOf(union: string): readonly ts.TypeNode[] {
  const path = `${FOLDER}/${UNIONS.get(union)}`;
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
  const declared = source.statements.filter(ts.isTypeAliasDeclaration).find(({ name }) => name.text === union);
  if (declared === undefined || !ts.isUnionTypeNode(declared.type))
    throw new TypeError(`${union} is no union any more.`);
  return declared.type.types.flatMap((event) => (UNIONS.has(event.getText()) ? eventsOf(event.getText()) : event));
}

function fieldsOf(event: ts.TypeNode): [string, readonly string[]] {
  if (!ts.isTypeLiteralNode(event)) throw new TypeError(`${event.getText()} is no event as this script knows them.`);
  const properties = event.members.filter(ts.isPropertySignature);
  const kind = properties.find(({ name }) => name.getText() === 'kind')?.type?.getText() ?? '';
  const others = properties.map(({ name }) => name.getText()).filter((name) => name !== 'kind');
  return [kind.replaceAll("'", ''), others];
}
