import { Controller, Get } from '@nestjs/common';
import type { CountryStatistics } from './country-statistics.js';
import { StatisticsStore } from './statistics.store.js';

/** The result so far. */
@Controller('statistics')
export class StatisticsController {
  constructor(private readonly store: StatisticsStore) {}

  @Get()
  byCountry(): Promise<CountryStatistics[]> {
    return this.store.byCountry();
  }
}
