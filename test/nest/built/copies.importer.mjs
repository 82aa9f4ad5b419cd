// Exports of the library as `import` gives them to an application that holds this file.
import * as library from 'nestjs-elastic-job';
import * as metrics from 'nestjs-elastic-job/metrics';
import * as operations from 'nestjs-elastic-job/operations';
import * as registry from 'nestjs-elastic-job/registry';
import * as spi from 'nestjs-elastic-job/spi';

export const libraries = { library, registry, operations, spi, metrics };
