// All texts of the page in English. Each view has a file of its own; zh/ has the same keys, by type.
import { attention } from './attention.js';
import { audit } from './audit.js';
import { changes } from './changes.js';
import { common } from './common.js';
import { job } from './job.js';
import { jobs } from './jobs.js';
import { overview } from './overview.js';
import { servers } from './servers.js';
import { session } from './session.js';

export const en = { ...common, attention, audit, changes, job, jobs, overview, servers, session };
export type Texts = typeof en;
