/** Properties by which libraries of test doubles mark their functions: Jest, Vitest and Node by the first; Sinon. */
const MARKS = ['mock', 'isSinonProxy'];

/** True for a mock or a spy. */
export function isTestDouble(value: unknown): boolean {
  // Node's marks are seen by reading only.
  return typeof value === 'function' && MARKS.some((mark) => Reflect.get(value, mark) !== undefined);
}
