import { ensurePage } from '../../../src/console/built-page.js';

/** The page is that of the sources. */
export const setup = (): Promise<void> => ensurePage();
