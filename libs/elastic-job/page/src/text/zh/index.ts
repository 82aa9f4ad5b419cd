// All texts of the page in Chinese, with the keys of en/.
import type { Texts } from '../en/index.js';
import { attention } from './attention.js';
import { audit } from './audit.js';
import { changes } from './changes.js';
import { common } from './common.js';
import { job } from './job.js';
import { jobs } from './jobs.js';
import { overview } from './overview.js';
import { servers } from './servers.js';
import { session } from './session.js';

export const zh: Texts = { ...common, attention, audit, changes, job, jobs, overview, servers, session };
