// Configuration files of Java applications, turned into options of this package. Pure: no registry is asked.
export { importElasticJobConfiguration } from './import-configuration.js';
export type { ImportSource, ImportedConfiguration, ImportedJob, ImportedRegistry, NotTakenOver } from './imported.js';
