import './style/base.css';
import './parts/parts.css';
import { render } from 'preact';
import { BASE } from './api/index.js';
import { App } from './app.js';
import { loadSession } from './state/index.js';
import { startLanguage } from './text/index.js';

// From now on it holds for every URL of the page.
document.querySelector('base')!.href = BASE;

await Promise.all([startLanguage(), loadSession()]);
render(<App />, document.querySelector('#page')!);
