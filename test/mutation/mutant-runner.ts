import { collectTests, type File, getFn, setFn, startTests, type Suite, type Task, type Test } from '@vitest/runner';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { TestRunner } from 'vitest';
import { chooseTests, type ChosenSpec, NoticingSpecs } from './chosen-tests.js';
import type { Answer, Coverage, Plan, PlannedMutant, SpecCoverage, Verdict } from './plan.js';

/** The object that the code of `@stryker-mutator/instrumenter` reads and writes. */
interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number;
  hitLimit?: number;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

interface LoadedModule {
  promise: unknown;
  exports: unknown;
  evaluated: boolean;
  importers: Set<string>;
}

const switches: Switches = {};
Object.assign(globalThis, { __stryker__: switches });
const { setTimeout, clearTimeout } = globalThis;

/** Factor by which a test may take longer with a mutant than without. */
const SLOWER = 4;
const SLACK_MS = 700;
/** Mutants in an endless loop throw after this many times their usual hits. */
const MORE_HITS = 20;
const LEAST_HITS = 10_000;
/** A mutant that blocks the process is stopped from outside after this time and the usual time of a spec. */
const HANGING_MS = 5_000;
const LOADING_MS = 20_000;
/** A process with more tests that fail without a mutant is replaced. */
const MOST_UNFIT = 5;

/**
 * Judges mutants in one process. Modules stay loaded, a mutant is a switch, and only tests that reach it run, until one
 * of them fails. That test must then pass without the mutant, or the verdict is void.
 */
export default class MutantRunner extends TestRunner {
  private readonly plan: Plan = JSON.parse(readFileSync(process.env.MUTATION_PLAN!, 'utf8'));
  private driving = false;
  private failed: Test | undefined;
  /** Tests that fail by themselves, or because of earlier mutants. They are not used any more in this process. */
  private readonly unfit = new Set<string>();
  /** The first spec of a process loads the library. */
  private isFresh = true;
  /** Undefined if tests have their own limits. */
  private limits: SpecCoverage['tests'] | undefined;

  override async onAfterRunFiles(): Promise<void> {
    super.onAfterRunFiles();
    if (this.driving) return;
    this.driving = true;
    this.tellNobody();
    if (this.plan.judge === undefined) writeFileSync(this.plan.coverageFile, JSON.stringify(await this.measure()));
    else await this.judgeAll(this.plan.judge);
  }

  override importFile(path: string, source: 'setup' | 'collect'): unknown {
    if (this.driving) forget(this.modules.get(path)); // A spec is loaded again each time, but its imports are not.
    return super.importFile(path, source);
  }

  override async onBeforeRunSuite(suite: Suite): Promise<void> {
    if (this.failed !== undefined) suite.mode = 'skip';
    await super.onBeforeRunSuite(suite);
  }

  override async onBeforeRunTask(test: Task): Promise<void> {
    if (this.failed !== undefined) test.mode = 'skip';
    await super.onBeforeRunTask(test);
    if (!this.driving || test.type !== 'test') return;
    switches.currentTestId = `${test.file.filepath}#${test.id}`;
    const limit = this.limits?.[test.id];
    if (limit !== undefined) setFn(test, inTime(getFn(test), limit.ms * SLOWER + SLACK_MS));
  }

  override onAfterRunTask(test: Task): void {
    super.onAfterRunTask(test);
    if (this.driving && test.type === 'test' && test.result?.state === 'fail') this.failed ??= test;
  }

  /** Runs every test once without a mutant, and then the bodies of `describe` again, now that modules are loaded. */
  private async measure(): Promise<Coverage> {
    const seen = (switches.mutantCoverage ??= { static: {}, perTest: {} });
    const specs: Record<string, SpecCoverage> = {};
    for (const spec of this.plan.specs) {
      switches.currentTestId = undefined;
      const [file] = await startTests([spec], this);
      this.failed = undefined;
      const passed = testsOf(file!).filter((test) => test.result?.state === 'pass');
      for (const { name } of testsOf(file!).filter((test) => test.result?.state === 'fail')) {
        console.log(`fails without a mutant, and judges none: ${name}`);
      }
      const tests: Record<string, SpecCoverage['tests'][string]> = {};
      for (const { id, result } of passed) {
        tests[id] = { ms: Math.ceil(result?.duration ?? 0), hits: seen.perTest[`${spec}#${id}`] ?? {} };
      }
      specs[spec] = { tests, whileCollecting: [] };
    }
    for (const spec of this.plan.specs) {
      switches.currentTestId = spec;
      await collectTests([spec], this);
      specs[spec] = { ...specs[spec]!, whileCollecting: Object.keys(seen.perTest[spec] ?? {}) };
    }
    const again = new Set(Object.values(specs).flatMap(({ whileCollecting }) => whileCollecting));
    return { specs, whileLoading: Object.keys(seen.static).filter((id) => !again.has(id)) };
  }

  private async judgeAll({ mutants, noticed, round, answersFile }: NonNullable<Plan['judge']>): Promise<void> {
    const noticing = new NoticingSpecs();
    for (const [file, spec] of noticed) noticing.add(file, resolve(spec));
    const coverage: Coverage = JSON.parse(readFileSync(this.plan.coverageFile, 'utf8'));
    const answer = (line: Answer) => appendFileSync(answersFile, `${JSON.stringify(line)}\n`);
    for (const mutant of mutants) {
      const startedAt = Date.now();
      const verdict = await this.judge(mutant, chooseTests(mutant, coverage, noticing, round), coverage, answer);
      answer({ id: mutant.id, verdict, ms: Date.now() - startedAt });
      if (verdict.kind === 'noticed') noticing.add(mutant.file, resolve(verdict.by));
      if (verdict.kind === 'void') return; // A new process goes on.
    }
  }

  private async judge(
    { id }: PlannedMutant,
    chosen: readonly ChosenSpec[],
    coverage: Coverage,
    answer: (line: Answer) => void,
  ): Promise<Verdict> {
    if (chosen.length === 0) return { kind: 'untested' };
    const reload = coverage.whileLoading.includes(id);
    if (reload) this.forgetAll();
    try {
      for (const { spec, tests, hits, ms } of chosen) {
        this.limits = coverage.specs[spec]!.tests;
        const hitLimit = hits * MORE_HITS + LEAST_HITS;
        let left = tests.filter((test) => !this.unfit.has(test));
        while (left.length > 0) {
          answer({ id, startedFor: (this.isFresh ? LOADING_MS : HANGING_MS) + ms * SLOWER });
          this.isFresh = false;
          const failed = await this.run(spec, left, { activeMutant: id, hitLimit });
          const looped = switches.hitCount! > hitLimit;
          if (failed === undefined && !looped) break;
          if (reload) this.forgetAll();
          answer({ id, startedFor: LOADING_MS + ms * SLOWER });
          const unfit = await this.run(spec, failed ?? left, {});
          if (unfit === undefined) {
            return looped ? { kind: 'timeout' } : { kind: 'noticed', by: relative(process.cwd(), spec) };
          }
          for (const test of unfit) this.unfit.add(test);
          if (this.unfit.size > MOST_UNFIT) return { kind: 'void' };
          left = left.filter((test) => !this.unfit.has(test));
        }
      }
      return { kind: 'survived' };
    } finally {
      if (reload) this.forgetAll();
    }
  }

  /** Tests that failed, or undefined. */
  private async run(spec: string, tests: readonly string[], { activeMutant, hitLimit = Infinity }: Switches) {
    Object.assign(switches, { activeMutant, hitLimit, hitCount: 0, currentTestId: undefined });
    this.failed = undefined;
    const shortest = Math.max(...tests.map((id) => this.limits![id]!.ms)) * SLOWER + SLACK_MS;
    Object.assign(this.config, { hookTimeout: shortest, testTimeout: 60_000 });
    try {
      const [file] = await startTests([{ filepath: spec, testIds: [...tests], testLocations: undefined }], this);
      const failed = this.failed as Test | undefined;
      if (failed !== undefined) return [failed.id];
      return file!.result?.state === 'fail' ? tests : undefined;
    } finally {
      switches.activeMutant = undefined;
      this.failed = undefined;
    }
  }

  private get modules(): Map<string, LoadedModule> {
    // Vitest has no public way to load a module again.
    return Reflect.get(this, 'workerState').evaluatedModules.idToModuleMap;
  }

  private forgetAll(): void {
    for (const [path, module] of this.modules)
      if (path.startsWith('/') && !path.includes('node_modules')) forget(module);
  }

  /** Vitest itself gets no reports but that of its one test. */
  private tellNobody(): void {
    Object.assign(this, {
      onTaskUpdate: async () => {},
      onCollected: async () => {},
      onCollectStart: (file: File) => super.onCollectStart(file),
      onAfterRunFiles: () => super.onAfterRunFiles(),
    });
  }
}

function forget(module: LoadedModule | undefined): void {
  if (module === undefined) return;
  module.promise = undefined;
  module.exports = undefined;
  module.evaluated = false;
  module.importers.clear();
}

function inTime(test: () => unknown, ms: number): () => Promise<void> {
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`longer than ${ms} ms`)), ms);
    });
    try {
      await Promise.race([test(), late]);
    } finally {
      clearTimeout(timer);
    }
  };
}

function testsOf(suite: Suite): Test[] {
  return suite.tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task) : [task]));
}
