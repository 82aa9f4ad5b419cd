const WARM_UP_PIECES = 30;
const STEPS = 2_000;

/** Times a fixed piece of work that only computes, of some milliseconds, in milliseconds each. */
export function timePieces(pieces: number): readonly number[] {
  const took: number[] = [];
  for (let n = 0; n < WARM_UP_PIECES + pieces; n += 1) {
    const begun = performance.now();
    doPiece();
    if (n >= WARM_UP_PIECES) took.push(performance.now() - begun);
  }
  return took;
}

/** Like a trigger's work: short texts, records and tables that do not live long. */
function doPiece(): void {
  for (let step = 0; step < STEPS; step += 1) {
    const { path }: { path: string } = JSON.parse(JSON.stringify({ path: `/job-${step}/sharding`, step }));
    const table = new Map<string, number>();
    for (let item = 0; item < 10; item += 1) table.set(`${path}/${item}`, item);
    if (table.size !== 10) throw new Error(`The table has ${table.size} entries.`);
  }
}
