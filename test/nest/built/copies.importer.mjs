// What `import` gives to an application that holds this file.
import * as library from 'nestjs-elastic-job';
import * as registry from 'nestjs-elastic-job/registry';

export const libraries = [library, registry];
