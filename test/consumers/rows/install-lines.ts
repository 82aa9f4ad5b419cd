import { readFileSync } from 'node:fs';

const LIBRARY = 'nestjs-elastic-job';
const README = new URL('../../../README.md', import.meta.url);
const INSTALL = /^## Install$(.*?)^## /ms;

/**
 * The README's line by which a package manager installs the library: `yarn add nestjs-elastic-job`.
 * @param command in the place of the manager's name @param library in the place of the library's name
 * @throws if the README has no such line, or several
 */
export function installing(manager: string, command: string, library: string): string {
  const [, section = ''] = INSTALL.exec(readFileSync(README, 'utf8')) ?? [];
  const pieces = section.split(/[`\n]/).map((piece) => piece.split(' '));
  const lines = pieces.filter(([first, , ...rest]) => first === manager && rest.join(' ') === LIBRARY);
  const [, verb] = lines[0] ?? [];
  if (lines.length !== 1) throw new Error(`README.md has ${lines.length} lines that install ${LIBRARY} by ${manager}.`);
  return `${command} ${verb} ${library}`;
}
