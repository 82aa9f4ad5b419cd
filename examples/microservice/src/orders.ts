import { Injectable } from '@nestjs/common';

/** Stands for a database. */
@Injectable()
export class Orders {
  private readonly placed: string[] = [];
  private readonly settled: string[] = [];

  place(id: string): void {
    this.placed.push(id);
  }

  settle(): readonly string[] {
    const ids = this.placed.splice(0);
    this.settled.push(...ids);
    return ids;
  }

  get allSettled(): readonly string[] {
    return this.settled;
  }
}
