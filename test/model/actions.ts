import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const MODEL = fileURLToPath(new URL('../../docs/model/failover.pml', import.meta.url));

/** An inline of the model, and the comment above it. */
export interface Action {
  readonly name: string;
  readonly line: number;
  /** The functions of the library that it stands for. */
  readonly standsFor: readonly StandsFor[];
  /** True if it stands for the environment of the library. */
  readonly isWorld: boolean;
  /** True if other actions are made of it. */
  readonly isPart: boolean;
}

export interface StandsFor {
  /** `function` or `Class.method`. */
  readonly name: string;
  readonly file: string;
}

const INLINE = /^inline (\w+)\(/;
const STANDS_FOR = /@stands-for (\S+) (\S+)/g;

/** The actions of a model. Each is an inline. Decisions are macros, with comments of their own. */
export function actionsOf(source: string): readonly Action[] {
  const lines = source.split('\n');
  return lines.flatMap((text, index): Action[] => {
    const name = INLINE.exec(text)?.[1];
    if (name === undefined) return [];
    const comment = commentAbove(lines, index);
    const standsFor = standsForIn(comment);
    return [
      { name, line: index + 1, standsFor, isWorld: comment.includes('@world'), isPart: comment.includes('@part') },
    ];
  });
}

/** All functions that a model names. */
export function standsForIn(source: string): readonly StandsFor[] {
  return [...source.matchAll(STANDS_FOR)].map(([, name, file]) => ({ name: name!, file: file! }));
}

/** The action to which a line belongs. */
export function nameAt(source: string, line: number): string | undefined {
  const before = source.split('\n').slice(0, line).toReversed();
  const start = before.find((text) => /^(inline|proctype|active|init)\b/.test(text));
  return start === undefined ? undefined : INLINE.exec(start)?.[1];
}

/** The functions and methods of a source, as `function` and `Class.method`. */
export function functionsIn(file: string, text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const statement of ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true).statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined) found.add(statement.name.text);
    if (!ts.isClassDeclaration(statement) || statement.name === undefined) continue;
    for (const member of statement.members) {
      const isFunction = ts.isMethodDeclaration(member) || ts.isGetAccessor(member);
      if (isFunction && ts.isIdentifier(member.name)) found.add(`${statement.name.text}.${member.name.text}`);
    }
  }
  return found;
}

function commentAbove(lines: readonly string[], index: number): string {
  if (!lines[index - 1]?.endsWith('*/')) return '';
  const start = lines.slice(0, index).findLastIndex((line) => line.startsWith('/*'));
  return lines.slice(start, index).join('\n');
}
