import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/** The path of a program's file; undefined if there is none. @param directory for names that are relative */
export function findProgram(command: string, path: string | undefined, directory: string): string | undefined {
  if (path === undefined) return undefined;
  const places = command.includes('/') ? [''] : path.split(delimiter);
  return places.map((place) => resolve(directory, place, command)).find((file) => isProgram(file));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
