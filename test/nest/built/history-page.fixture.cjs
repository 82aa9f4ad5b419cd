// The application of the page of the history, until it is told to close. It sends a message for each run of an item.
// The first argument is the folder of the page's files.
const { createRequire } = require('node:module');

const [page] = process.argv.slice(2);
const load = createRequire(`${page}/`);
const { NestFactory } = load('@nestjs/core');
const { AppModule, ReportJobs } = load('./app.module.js');

async function main() {
  const app = await NestFactory.createApplicationContext(AppModule, { logger: ['warn'] });
  process.once('message', () => void app.close().then(() => process.disconnect()));
}

const { report } = ReportJobs.prototype;
const counted = function (context) {
  process.send('run');
  return Reflect.apply(report, this, [context]);
};
for (const key of Reflect.getMetadataKeys(report)) {
  Reflect.defineMetadata(key, Reflect.getMetadata(key, report), counted);
}
ReportJobs.prototype.report = counted;
void main();
