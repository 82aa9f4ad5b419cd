import { Injectable } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { messageOf } from '../domain/index.js';
import { type Declaration, JOBS, TEMPLATES } from './elastic-job.decorator.js';
import { JobExplorer } from './job.explorer.js';

/** Finds decorators that came too late: Nest calls no start hook for a module that is loaded lazily. */
@Injectable()
export class LazyJobs {
  private readonly known = new Set<string>();

  constructor(
    private readonly explorer: JobExplorer,
    private readonly loader: LazyModuleLoader,
  ) {}

  /** Takes all that is declared now for known. */
  open(): void {
    for (const declaration of [JOBS, TEMPLATES]) this.takeNew(declaration);
  }

  /** Tells of all that has come since `open`, and of what each later load brings; each once. */
  follow(warn: (message: string) => void): void {
    this.warnOfNew(warn);
    const { loader } = this;
    const load = loader.load.bind(loader);
    loader.load = async (...given) => {
      const moduleRef = await load(...given);
      this.warnOfNew(warn);
      return moduleRef;
    };
  }

  private warnOfNew(warn: (message: string) => void): void {
    try {
      for (const declaration of [JOBS, TEMPLATES]) {
        for (const place of this.takeNew(declaration)) warn(describe(place, declaration));
      }
    } catch (error) {
      // A decorator in a wrong place is the module's fault as well, and must not fail its load.
      warn(messageOf(error));
    }
  }

  private takeNew(declaration: Declaration): readonly string[] {
    const found = this.explorer.explore(declaration).map(({ place }) => place);
    const fresh = [...new Set(found)].filter((place) => !this.known.has(`${declaration.what} ${place}`));
    for (const place of fresh) this.known.add(`${declaration.what} ${place}`);
    return fresh;
  }
}

function describe(place: string, { what }: Declaration): string {
  return (
    `${place}: its ${what} has no effect, since its module was loaded lazily, after the start; ` +
    'let another module import that module instead'
  );
}
