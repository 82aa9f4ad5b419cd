// Mounts the page, once its language and its session are known.
import './style/base.css';
import './parts/parts.css';
import { render } from 'preact';
import { BASE } from './api/index.js';
import { App } from './app.js';
import { loadSession } from './state/index.js';
import { startLanguage } from './text/index.js';

// From now on it holds for every URL of the page.
document.querySelector('base')!.href = BASE;

// Not awaited here: files that are loaded later import from this one, and would wait for it.
void Promise.all([startLanguage(), loadSession()]).then(() => render(<App />, document.querySelector('#page')!));
