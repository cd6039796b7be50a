import { reportFalls } from './report-falls.ts'

const [earlier, after, ...more] = process.argv.slice(2)
if (earlier === undefined || after === undefined || more.length > 0) {
  process.stderr.write('npm run bench:compare -- <folder of earlier results> <results.json>\n')
  process.exit(1)
}
process.stdout.write(reportFalls(earlier, after))
