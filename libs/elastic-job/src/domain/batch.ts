/**
 * Members that are collected one by one and taken together.
 *
 * The list is made with the first member and given away with the last. An empty list that waits for its next members
 * would get old, and V8 keeps what is in an old list until the next full collection, long after it was taken.
 */
export class Batch<T> {
  private members: T[] | undefined;

  get size(): number {
    return this.members?.length ?? 0;
  }

  /** The members in the order in which they were added. */
  get list(): readonly T[] {
    return this.members ?? [];
  }

  /** @returns the number of members */
  add(member: T): number {
    this.members ??= [];
    return this.members.push(member);
  }

  /** Removes the first members, all unless `count` is given. @returns them in their order */
  take(count = this.size): T[] {
    const { members = [] } = this;
    if (count < members.length) return members.splice(0, count);
    this.members = undefined;
    return members;
  }
}
