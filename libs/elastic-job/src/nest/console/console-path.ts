import type { Type } from '@nestjs/common';
import { API } from '../../console/index.js';

/** Where the console is served. */
export interface ConsolePlace {
  /** With a slash before it and none behind it. */
  readonly path: string;
  readonly controller: Type<object>;
}

/** Injects the place of the console. */
export const CONSOLE_PLACE = Symbol('nestjs-elastic-job:console-place');

/** Finds the part of a URL below the path of the console. */
export class ConsolePath {
  private readonly pattern: RegExp;

  constructor(path: string) {
    const literal = path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    // Routers do not heed the case, and a prefix, also of a version, may stand before it.
    this.pattern = new RegExp(String.raw`^[^?]*?${literal}(${API}(?:[/?].*|$))`, 'is');
  }

  /** Undefined for a URL of another route. */
  below(url: string): string | undefined {
    return this.pattern.exec(url)?.[1];
  }
}
