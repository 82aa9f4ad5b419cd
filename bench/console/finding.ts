/** A figure beside what is promised. */
export interface Finding {
  readonly what: string;
  readonly value: number;
  readonly most: number;
  readonly unit: string;
}
