import { reportFalls } from './report-falls.ts'

const [before, after, ...more] = process.argv.slice(2)
if (before === undefined || after === undefined || more.length > 0) {
  process.stderr.write('npm run bench:compare -- <earlier results.json> <results.json>\n')
  process.exit(1)
}
process.stdout.write(reportFalls(before, after))
