import { Presets, MultiBar, type SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import type { Assignment, Ledger } from './ledger.js';

/** Display of the demo: a bar with lines above it on a terminal, only lines elsewhere. */
export class Display {
  private readonly bars: MultiBar | undefined;
  private readonly bar: SingleBar | undefined;
  private shownAssignment = '';
  private shownTenth = 0;

  constructor(private readonly total: number) {
    if (!process.stdout.isTTY) return;
    const format = ' {bar} {value}/{total} cities{refused}';
    this.bars = new MultiBar({ format, barsize: 30 }, Presets.rect);
    this.bar = this.bars.create(total, 0, { refused: '' });
  }

  line(text: string): void {
    if (this.bars) this.bars.log(`${text}\n`);
    else console.log(text);
  }

  /** Shows the latest numbers. */
  update(ledger: Ledger): void {
    this.progress(ledger.added(), ledger.refused);
    this.assignment(ledger.assignment);
  }

  /** Leaves the last state of the bar on the terminal. */
  stop(): void {
    this.bars?.stop();
  }

  private progress(counted: number, refusals: number): void {
    const refused = refusals === 0 ? '' : `, ${refusals} stale writes refused`;
    this.bar?.update(counted, { refused });
    const tenth = Math.floor((10 * counted) / this.total);
    if (this.bar || tenth === this.shownTenth) return;
    this.shownTenth = tenth;
    this.line(`${tenth * 10} % of ${this.total} cities counted${refused}`);
  }

  private assignment(assignment: Assignment): void {
    if (assignment.size === 0) return;
    const text = tableOf(assignment);
    if (text === this.shownAssignment) return;
    this.shownAssignment = text;
    this.line(text);
  }
}

function tableOf(assignment: Assignment): string {
  const table = new Table({ head: ['instance', 'items'], style: { head: [], border: [], compact: true } });
  for (const instance of [...assignment.keys()].toSorted()) table.push([instance, assignment.get(instance)!.join(' ')]);
  return table.toString();
}
