// Configuration files of Java applications, turned into options of this package. Pure: no registry is asked.
export { importElasticJobConfiguration, type ImportSource } from './import-configuration.js';
export type { ImportedConfiguration, ImportedJob, ImportedRegistry, NotTakenOver } from './imported.js';
