/**
 * Encodes ascending fire times as a short list of numbers: the first one, then pairs of a step and its repetitions.
 * Most steps of a schedule are equal.
 */
export function formatFireTimes([first, ...others]: readonly number[]): readonly number[] {
  if (first === undefined) return [];
  const runs: [number, number][] = [];
  let last = first;
  for (const time of others) {
    const run = runs.at(-1);
    if (run?.[0] === time - last) run[1] += 1;
    else runs.push([time - last, 1]);
    last = time;
  }
  return [first, ...runs.flat()];
}

/**
 * Decodes what `formatFireTimes` has written.
 * @param most limit of the fire times that are read
 * @returns undefined for anything else, or for a longer list
 */
export function parseFireTimes(value: unknown, most: number): readonly number[] | undefined {
  if (!Array.isArray(value) || !value.every((one) => Number.isSafeInteger(one))) return undefined;
  const [first, ...runs]: readonly number[] = value;
  if (first === undefined) return [];
  const times = [first];
  for (let i = 0; i < runs.length; i += 2) {
    const [step, count] = [runs[i]!, runs[i + 1] ?? 0];
    if (step <= 0 || count <= 0 || times.length + count > most) return undefined;
    for (let n = 0; n < count; n += 1) times.push(times.at(-1)! + step);
  }
  return times;
}
