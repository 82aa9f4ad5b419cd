import { linesAndColumnsOf, type PlaceOf } from '../coordination/index.js';
import type { NotTakenOver } from './imported.js';
import type { Advice } from './remedies.js';

/** The source of the settings, as errors name it. */
export const PLACE = 'ElasticJob configuration';

const SECRET =
  /password|passwd|secret|token|digest|credential|datasource|extraconfigurations|webhook|parameter|\bprops\b/i;

/** Most faults that are told of one text. */
const MOST_PROBLEMS = 20;
const TOLD_CHARACTERS = 200;

/** Faults, and settings that are not taken over. */
export class Findings {
  readonly problems: string[] = [];
  private readonly found: { readonly at: number; readonly entry: NotTakenOver }[] = [];

  /** Names a position of the text: `line 3, column 5`. */
  readonly placeOf: PlaceOf;

  constructor(readonly source: string) {
    this.placeOf = linesAndColumnsOf(source);
  }

  get notTakenOver(): readonly NotTakenOver[] {
    return this.found.toSorted((a, b) => a.at - b.at).map(({ entry }) => entry);
  }

  leaveOut(path: string, value: string, at: number, { reason, remedy }: Advice): void {
    const shown = SECRET.test(path) ? '(not shown)' : value;
    this.found.push({ at, entry: { path, value: shown, reason, remedy, place: this.placeOf(at) } });
  }

  refuse(at: number, problem: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(`${this.placeOf(at)}: ${problem}`);
  }

  refuseTwice(what: string, at: number, earlier: number): void {
    this.refuse(at, `${what.slice(0, TOLD_CHARACTERS)} is there twice, also in ${this.placeOf(earlier)}`);
  }
}
