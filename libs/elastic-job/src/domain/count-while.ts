/** Number of the first members for which it is so, in a list in which it is so for none after them. */
export function countWhile<T>(list: readonly T[], isSo: (member: T) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isSo(list[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
